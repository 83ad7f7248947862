package codegrade

import (
	"fmt"
	"testing"
)

// BenchmarkGrade judges a right program of thirty cases, in the ways of tests.
func BenchmarkGrade(b *testing.B) {
	g := grader(b)
	if g == nil {
		return
	}
	stdin, call := Tests{Language: "python", Kind: Stdin}, Tests{Language: "python", Kind: Call, Function: "f"}
	asserts := Tests{Language: "python", Kind: Asserts}
	for n := range 30 {
		stdin.Cases = append(stdin.Cases, Case{Input: fmt.Sprintln(n), Output: fmt.Sprintln(n * n)})
		call.Cases = append(call.Cases, Case{Input: fmt.Sprintf("[%d]", n), Output: fmt.Sprint(n * n)})
		asserts.Asserts += fmt.Sprintf("assert f(%d) == %d\n", n, n*n)
	}
	const function = "def f(n): return n * n"
	for _, c := range []struct {
		tests Tests
		code  string
	}{{stdin, "print(int(input()) ** 2)"}, {call, function}, {asserts, function}} {
		b.Run(string(c.tests.Kind), func(b *testing.B) {
			for b.Loop() {
				if got, err := g.Grade(b.Context(), c.tests, c.code); err != nil || got.Score != 1 {
					b.Fatalf("%+v, error %v", got, err)
				}
			}
		})
	}
}
