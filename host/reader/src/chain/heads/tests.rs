//! The rules of the pin, with a scripted source and paused time.

mod failing;
mod follower;
mod node;
mod rule;
