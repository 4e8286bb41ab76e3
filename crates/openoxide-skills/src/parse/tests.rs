//! Tests of reading skill files; the hosts' own tables are in `tests/it`.
