package problems_test

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/grade/codegrade/problems"
)

func TestRowsOfSandboxFusion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ row, want, why string }{
		{`{"id":7,"content":"Add.","test":[{"input":{"stdin":"1 2"},"output":{"stdout":"3"}}],"labels":{"difficulty":"easy"},"canonical_solution":{"cpp":"x"}}`,
			`SandboxFusion 7 stdin lines easy, 0 solutions`, "CommonOJ"},
		{`{"id":"a","content":"Add.","test":"[{\"input\":{\"stdin\":\"1 2\"},\"output\":{\"stdout\":\"3\"}}]","labels":"{}","canonical_solution":"print(3)"}`,
			`SandboxFusion a stdin lines, 1 solutions`, "the columns as JSON"},
		{`{"test":[{"input":{"stdin":"1 2"},"output":{"stdout":"3"}}]}`, `SandboxFusion 4 stdin lines, 0 solutions`, "tests alone"},
		{`{"id":1,"content":"Add.","test":["assert add(1, 2) == 3","assert add(0, 0) == 0"],"labels":{"test_setup_code":"import math"}}`,
			`SandboxFusion 1 asserts, 0 solutions`, "MBPP"},
		{`{"id":1,"content":"Add.","test":{"code":"assert add(1, 2) == 3","asset":"{}"},"labels":{"programming_language":"python"}}`,
			`SandboxFusion 1 asserts, 0 solutions`, "AutoEval"},
	} {
		p, err := problems.ReadRow(4, []byte(test.row), problems.Settings{})
		if got := brief(p); err != nil || !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %q, %v, want %q", test.why, got, err, test.want)
		}
	}
	for _, test := range []struct{ row, want string }{
		{`{"test":[{"input":{"stdin":"1","a.txt":"2"},"output":{"stdout":"3"}}]}`, "test[0].input: has other files than stdin"},
		{`{"test":[]}`, "there are no tests"},
		{`{"test":7}`, "test: is a number"},
		{`{"test":[7]}`, "test[0]: is a number"},
		{`{"test":{"code":""}}`, "code: is missing"},
		{`{"test":{"code":"assert 1","asset":{"a.txt":""}}}`, "files beside the tests"},
		{`{"test":{"code":"assert 1"},"labels":{"programming_language":"cpp"}}`, `need python`},
		{`{"test":["assert 1",2]}`, "test[1]: is a number"},
		{`{"tests":[]}`, "of no known form"},
		{`[]`, ""},
	} {
		if p, err := problems.ReadRow(0, []byte(test.row), problems.Settings{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s gives %+v, %v, want %q", test.row, p, err, test.want)
		}
	}
	if all, faults := lines(t, `{"content":"","test":[{"input":{"stdin":"1"},"output":{"stdout":"3"}}]}`, problems.Settings{}); len(all) > 0 || len(faults) != 1 {
		t.Errorf("a row of a file without a statement gives %+v, %v", all, faults)
	}
}

// The mark of AutoEval parts the tests into what stands before the program, and after it.
func TestTestsAroundTheProgram(t *testing.T) {
	t.Parallel()
	p, err := problems.ReadRow(0, []byte(`{"test":{"code":"import math\n#<INSERT>\nassert add(1, 2) == 3"},"labels":{"programming_language":"python"}}`), problems.Settings{})
	if want := (codegrade.Tests{Language: "python", Kind: codegrade.Asserts, Shared: true, Prelude: "import math\n", Asserts: "\nassert add(1, 2) == 3"}); err != nil || p.Tests.Prelude != want.Prelude || p.Tests.Asserts != want.Asserts || !p.Tests.Shared {
		t.Errorf("%+v, %v, want %+v", p.Tests, err, want)
	}
}
