//! Small programs on `erp-core`, in `examples/examples`: each can be run, and each is a test.
