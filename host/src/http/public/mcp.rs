//! The Model Context Protocol (MCP, versions 2026-07-28 and 2025-11-25): the endpoints as tools of assistants.
//!
//! A tool requests an endpoint as any client does, and wraps the answer: what is missing and what was left out come as
//! sentences before the data, and a long answer comes in slices. Invariant: nothing here reads a chain, signs or sends.
//! Calldata is shown only in a claim plan whose trial paid what it says.

mod arguments;
mod claim_rules;
mod cursor;
mod endpoint;
mod envelope;
mod handler;
mod notes;
mod prompts;
mod resources;
mod rows;
mod schemas;
mod source;
mod tools;

pub(in crate::http) use self::endpoint::{McpEndpoint, is_at};
pub(crate) use self::handler::McpHandler;
pub(crate) use self::source::{AnswerReply, JobEnded, ToolSource};
