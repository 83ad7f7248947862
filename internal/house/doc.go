// Package house tests the rules of the project: which packages may import which, how
// large a function may be, what the documents must mention. It contains only tests.
//
// If a rule is in the way, change it here and give a reason; do not work around it in
// the code. Each list of exceptions gives a reason for each entry. An entry that is no
// longer needed fails its test.
//
// With -update, the tests rewrite the documents that are made from data.
package house
