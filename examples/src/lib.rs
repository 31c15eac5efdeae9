//! Small programs that use `erp-core`, in `examples/examples`: each can be run, and each is a test.
