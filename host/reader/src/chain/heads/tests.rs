//! The rules of the pin, with a scripted source and paused time.

mod failing;
mod follower;
mod newer;
mod node;
mod rule;
