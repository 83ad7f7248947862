package codegrade_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/sandbox"
)

// upper stands for a sandbox, such as that of package native. Every program in it writes its input
// in upper case.
type upper struct{}

func (upper) Probe(context.Context) (sandbox.Strength, error) { return sandbox.Strength{}, nil }

func (upper) Run(_ context.Context, job sandbox.Job) (sandbox.Result, error) {
	return sandbox.Result{End: sandbox.Exited, Stdout: []byte(strings.ToUpper(string(job.Stdin)))}, nil
}

func Example() {
	reply := "<think>Easy.</think>Here it is:\n```python\nprint(input().upper())\n```\n"
	code, ok := codegrade.Extract(reply, "python")
	fmt.Printf("%v %q\n", ok, code)

	grader := &codegrade.Grader{Sandbox: upper{}}
	verdict, err := grader.Grade(context.Background(), codegrade.Tests{
		Language: "python",
		Kind:     codegrade.Stdin,
		Compare:  codegrade.Exact,
		Scoring:  codegrade.Share,
		Cases:    []codegrade.Case{{Input: "abc", Output: "ABC"}, {Input: "x", Output: "y"}},
	}, code)
	fmt.Println(verdict.Score, verdict.Reason, err)
	// Output:
	// true "print(input().upper())\n"
	// 0.5 wrong_answer <nil>
}

func ExampleCompare_Same() {
	fmt.Println(codegrade.Lines.Same("Yes\n0.5\n", "YES\n0.500001"))
	fmt.Println(codegrade.Lines.Same("1000000007", "1000000008"))
	// Output:
	// true
	// false
}
