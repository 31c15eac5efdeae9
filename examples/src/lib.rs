//! Small programs on `erp-core`, in `examples/examples`: each can be run, and each is a test.

/// Runs a future to its end. A real program has its own runtime.
pub use pollster::block_on;
