//! Skills of other MCP servers, verified before anything of them is used.
