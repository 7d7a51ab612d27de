//! The rules of the pin, by a scripted source and paused time.

mod failing;
mod follower;
mod node;
mod rule;
