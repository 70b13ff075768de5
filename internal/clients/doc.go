// Package clients holds tests that run real coding agents against a model that plays scripts.
package clients

// A client runs in a network namespace that has only loopback, with a home directory of its own: it
// reaches nothing but the model, and reads no user's settings. Where no client is installed the
// tests say so and skip. See testdata/README.md.
