// Package house holds the rules of the project as tests: which package may know
// which, how large a function may be, what the documents must name. It has no
// code of its own.
//
// A rule that is in the way is changed here, with a reason, and never bent in
// the code. Each list of exceptions says why each of its entries is there; an
// entry that nothing needs any more fails its test.
//
// Run with -update, it writes anew the documents that are made from data.
package house
