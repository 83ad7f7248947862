package problems_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/grade/codegrade/problems"
	"github.com/quintain-rl/quintain/tasks/dataset"
)

// read reads a file of testdata.
func read(t testing.TB, name string) (all []problems.Problem, faults []problems.Fault) {
	t.Helper()
	all, faults, err := readAll(filepath.Join("testdata", name), problems.Settings{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return all, faults
}

// lines reads rows from a text.
func lines(t testing.TB, text string, s problems.Settings) (all []problems.Problem, faults []problems.Fault) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	all, faults, err := readAll(path, s)
	if err != nil {
		t.Fatal(err)
	}
	return all, faults
}

// readAll reads the problems of a file, and the faults of the other rows.
func readAll(path string, s problems.Settings) (all []problems.Problem, faults []problems.Fault, err error) {
	file, err := dataset.OpenRows(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	err = problems.Scan(file, s, func(n int, p problems.Problem, err error) error {
		if err != nil {
			faults = append(faults, problems.Fault{Row: n, Err: err})
		} else {
			all = append(all, p)
		}
		return nil
	})
	return all, faults, err
}

// brief says in one line what was read.
func brief(p problems.Problem) string {
	t := p.Tests
	text := fmt.Sprintf("%s %s %s", p.Form, p.ID, t.Kind)
	for _, part := range []string{t.Function, string(t.Compare), p.Difficulty, t.InputFile, t.OutputFile} {
		if part != "" {
			text += " " + part
		}
	}
	text += fmt.Sprintf(", %d solutions", len(p.Solutions))
	if len(p.Also) > 0 {
		text += fmt.Sprintf(", %d other readings", len(p.Also))
	}
	for _, c := range t.Cases {
		text += fmt.Sprintf("; %.40q %.40q", c.Input, c.Output)
		if c.Public {
			text += " public"
		}
	}
	return text
}

func TestEachSource(t *testing.T) {
	for _, test := range []struct {
		why, file string
		at        int
		want      string
	}{
		{"tests of standard input and output, written as JSON", "apps", 0, `APPS 0 stdin lines introductory, 2 solutions; "3\n" "6\n"; "-4\n" "-8\n"`},
		{"an input and an output that are lists of lines", "apps", 1, `APPS 1 stdin lines interview, 1 solutions; "pear\nfig\nplum" "3"`},
		{"results in a list of their own; or the list is the result", "apps", 2, `APPS 2 call shift introductory, 1 solutions, 1 other readings; "[\"plum\"]" "\"mplu\""; "[\"fig\"]" "\"gfi\""`},
		{"texts in quotes, as LeetCode writes them; no solutions", "apps", 3, `APPS 3 call longestRun interview, 0 solutions, 1 other readings; "[\"aabbb\",1]" "3"`},
		{"the columns of TACO; no name, so the number of the row", "taco", 0, `APPS 1 stdin lines EASY, 1 solutions; "1 2\n" "2\n"`},
		{"an integer of 5,000 digits", "taco", 1, `APPS 2 call same UNKNOWN_DIFFICULTY, 1 solutions, 1 other readings; "[777777777777777777777777777777777777777" "7777777777777777777777777777777777777777"`},
		{"private tests as JSON", "livecodebench", 0, `LiveCodeBench a1 stdin lcb easy, 0 solutions; "1 2\n" "3\n" public; "5 6\n" "11\n"; "0 0\n" "0\n"`},
		{"private tests as a pickle of protocol 4", "livecodebench", 1, `LiveCodeBench a2 stdin lcb easy, 0 solutions; "fig\n" "fig\n" public; "çé 😀\n" "çé 😀\n"; "` + strings.Repeat("x", 40) + `" "` + strings.Repeat("x", 40) + `"`},
		{"arguments of a call, one a line; protocol 5", "livecodebench", 2, `LiveCodeBench a3 call atLeast easy, 0 solutions; "[[1,5,7],5]" "2" public; "[[],1]" "0"`},
		{"tests written as a literal of Python", "synthetic", 0, `SYNTHETIC-1 vcp_1 stdin lines interview, 1 solutions; "3\n" "6\n"; "it's \"1\"" "\t"`},
		{"calls in such a literal", "synthetic", 1, `SYNTHETIC-1 vcp_2 call add introductory, 1 solutions, 1 other readings; "[2,3]" "5"; "[true,null]" "[1]"`},
		{"tests as an object", "open_r1", 0, `SYNTHETIC-1 vcp_3 stdin lines, 1 solutions; "1\n" "yes\n"`},
		{"arguments and result as texts: a list of arguments, or one; a result, or in a list", "open_r1", 1, `SYNTHETIC-1 vcp_4 call ends easy, 1 solutions, 3 other readings; "[[4,5,6]]" "[4,6]"`},
		{"tests in TACO's shape", "deepcoder", 0, `DeepCoder 1 stdin lcb, 1 solutions; "1 2\n" "2\n"`},
		{"tests in LiveCodeBench's shape, calls", "deepcoder", 1, `DeepCoder 2 call atLeast, 0 solutions; "[[1,5,7],5]" "2"`},
		{"the same, with input and output", "deepcoder", 2, `DeepCoder 3 stdin lcb, 0 solutions; "1 2\n" "3\n"`},
		{"tests of PrimeIntellect, as a literal", "deepcoder", 3, `DeepCoder 4 call add, 1 solutions, 1 other readings; "[2,3]" "5"`},
		{"ground truth as JSON", "verl", 0, `verl 1 stdin trim, 0 solutions; "1 2\n" "3\n"; "3 4\n" "7\n"`},
		{"arguments one a line", "verl", 1, `verl 2 call add, 0 solutions; "[1,2]" "3"; "[\"a\",\"b\"]" "\"ab\""`},
		{"arguments as lists", "verl", 2, `verl 3 call shift, 0 solutions, 1 other readings; "[\"plum\"]" "\"mplu\""`},
		{"asserts", "verl", 3, `verl 4 asserts, 0 solutions; "assert half(4) == 2" ""; "assert half(5) == 2.5" ""`},
		{"unit tests, and a name among the metadata", "nemo_gym", 0, `NeMo Gym n1 stdin lcb, 0 solutions; "3\n" "6\n"`},
		{"unit tests as JSON, of a function", "nemo_gym", 1, `NeMo Gym 2 call add, 0 solutions; "[1,2]" "3"`},
		{"a program of tests", "humaneval", 0, `HumanEval HumanEval/0 asserts, 1 solutions`},
		{"a list of tests, and challenging ones", "mbpp", 0, `MBPP 1 asserts, 1 solutions; "assert area(2, 3) == 6" "" public; "assert area(0, 3) == 0" "" public; "assert area(10, 10) == 100" ""`},
		{"the sanitized form", "mbpp", 1, `MBPP 2 asserts, 1 solutions; "assert up(1.2) == math.ceil(1.2)" "" public`},
		{"MBPP+, which has a program of tests", "mbpp", 2, `MBPP 3 asserts, 1 solutions`},
		{"unit tests of Python", "bigcodebench", 0, `BigCodeBench BigCodeBench/0 asserts, 1 solutions`},
		{"examples are public, and no test twice", "codeforces", 0, `Codeforces 1/A stdin tokens 800, 0 solutions; "1 2" "3" public; "4 5\n" "9\n"`},
		{"a checker", "codeforces", 1, `Codeforces 2/A stdin checker, 0 solutions; "1 2" "3" public; "4 5\n" "9\n"`},
		{"files of input and output", "codeforces", 2, `Codeforces 3/A stdin tokens 800 input.txt output.txt, 0 solutions; "1 2" "3" public; "4 5\n" "9\n"`},
		{"a prompt for each language", "codeforces", 3, `Codeforces 1/A/python stdin tokens 800, 0 solutions; "1 2" "3" public; "4 5\n" "9\n"`},
		{"unit tests that import the program", "kodcode", 0, `KodCode K1 unittest, 1 solutions`},
		{"our own form", "quintain", 0, `quintain q1 stdin tokens, 1 solutions; "1 2\n" "3\n" public`},
		{"our own form, a call", "quintain", 1, `quintain q2 call add easy, 0 solutions; "[1, 2]" "3"`},
	} {
		all, _ := read(t, test.file+".jsonl")
		if got := brief(all[test.at]); got != test.want {
			t.Errorf("%s, %s:\n got %s\nwant %s", test.file, test.why, got, test.want)
		}
	}
}

// The layout of a row alone does not say whether its answer is a program.
func TestCodeIsToldFromMathematics(t *testing.T) {
	verl := func(truth string) string {
		return `{"data_source":"x","prompt":[{"role":"user","content":"q"}],"ability":"x","reward_model":{"style":"rule","ground_truth":` + truth + `}}`
	}
	for text, want := range map[string]bool{
		verl(`"4"`): false, verl(`4`): false, verl(`"[1, 2]"`): false, verl(`"{1, 2}"`): false, verl(`["4", "4.0"]`): false, verl(`"\\frac{1}{2}"`): false,
		verl(`"x: input"`): false, strings.Replace(verl(`"4"`), `"x","reward`, `"code","reward`, 1): true,
		verl(`{"inputs":["1"],"outputs":["2"]}`): true, verl(`"{\"inputs\": [\"1\"], \"outputs\": [\"2\"]}"`): true, verl(`"{'inputs': ['1']"`): true,
		verl(`[{"input":"1","output":"2"}]`): true, verl(`"[{\"input\": \"1\", \"output\": \"2\"}]"`): true, verl(`"{\"assert_case\": [\"assert f(1)\"]}"`): true,
		`{"question":"q","answer":"4"}`: false, `{"question":"q","solution":"def f(): pass","test":"from solution import f"}`: true,
	} {
		path := filepath.Join(t.TempDir(), "rows.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if is, err := problems.IsCode(problems.Opened(t, path)); err != nil || is != want {
			t.Errorf("%s: %v, error %v, want %v", text, is, err, want)
		}
	}
}

func TestFormsOfKodCode(t *testing.T) {
	for test, want := range map[string]string{
		"from solution import f, g\n\ndef test_f():\n    assert f(1) == 1\n":       "unittest q\n\nYour program is the module solution of its tests:\n\nfrom solution import f, g",
		"from solution import (\n  f as h,\n  g,\n)\ndef test(): assert h(1)":      "unittest q\n\nYour program is the module solution of its tests:\n\nfrom solution import ( f as h, g, )",
		"import pytest\ndef test():\n  from solution import f # it\n  assert f(1)": "pytest q\n\nYour program is the module solution of its tests:\n\nfrom solution import f",
		"import solution\ndef test(): assert solution.f(1)":                        "unittest q\n\nYour program is the module solution of its tests:\n\nimport solution",
		"def test(): assert f(1)": "test: it does not import the program",
	} {
		text, err := json.Marshal(map[string]string{"question": "q", "solution": "x", "test": test})
		if err != nil {
			t.Fatal(err)
		}
		all, faults := lines(t, string(text), problems.Settings{})
		got := fmt.Sprint(faults)
		if len(all) == 1 {
			got = fmt.Sprint(all[0].Tests.Kind, " ", all[0].Statement)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", test, got, want)
		}
	}
}

func TestRowsThatAreNotPlayedAreFaults(t *testing.T) {
	all, faults := read(t, "codeforces.jsonl")
	if len(all) != 4 || len(faults) != 1 || faults[0].Error() != "row 4: interaction_format: the problem is interactive: leave the row out" {
		t.Errorf("%d problems, faults %v", len(all), faults)
	}
}

func TestBigNumbersAreWhole(t *testing.T) {
	all, _ := read(t, "taco.jsonl")
	digits := strings.Repeat("7", 5000)
	if c := all[1].Tests.Cases[0]; c.Input != "["+digits+"]" || c.Output != digits {
		t.Errorf("%.80s, %.80s", c.Input, c.Output)
	}
}

func TestOtherReadings(t *testing.T) {
	for _, test := range []struct {
		file string
		at   int
		want []string
	}{
		{"apps", 2, []string{`["plum"] "mplu"`, `["plum"] ["mplu"]`}},
		{"apps", 3, []string{`["aabbb",1] 3`, `["\"aabbb\"",1] 3`}},
		{"open_r1", 1, []string{`[[4,5,6]] [4,6]`, `[[4,5,6]] [[4,6]]`, `[[[4,5,6]]] [4,6]`, `[[[4,5,6]]] [[4,6]]`}},
	} {
		all, _ := read(t, test.file+".jsonl")
		var got []string
		for _, tests := range append([]codegrade.Tests{all[test.at].Tests}, all[test.at].Also...) {
			got = append(got, tests.Cases[0].Input+" "+tests.Cases[0].Output)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s %d: %q", test.file, test.at, got)
		}
	}
}

func TestPartsOfAProblem(t *testing.T) {
	first := func(file string, at int) problems.Problem {
		all, _ := read(t, file+".jsonl")
		return all[at]
	}
	human, low, big, cf := first("humaneval", 1), first("mbpp", 2), first("bigcodebench", 0), first("codeforces", 1)
	for _, test := range []struct{ why, got, want string }{
		{"helpers before a function of HumanEval are in prelude and tests", human.Tests.Prelude + "|" + human.Tests.Asserts, "def twice(n: int) -> int:\n    return 2 * n\n\n\n|def twice(n: int) -> int:\n    return 2 * n\ndef check(candidate):\n    for n in range(5):\n        assert candidate(twice(n)) == n\ncheck(half)\n"},
		{"a solution of HumanEval", human.Solutions[0], human.Statement + "    return n // 2\n"},
		{"a statement of MBPP shows the tests", low.Statement, "Write a function to find the least item.\n\nYour program must pass these tests:\n\nassert low([2, 1]) == 1"},
		{"tests of MBPP+", low.Tests.Asserts, "import math\nfor items, want in [([2, 1], 1), ([3], 3)]:\n    assert low(items) == want\n"},
		{"a solution of BigCodeBench", big.Solutions[0], "import json\ndef task_func(text):\n    return len(json.loads(text))\n"},
		{"its tests share the process", fmt.Sprint(big.Tests.Shared), "true"},
		{"a solution in a fenced block", first("synthetic", 1).Solutions[0], "def add(a, b):\n    return [int(a)] if b is None else a + b"},
		{"messages of the system are left out", first("verl", 0).Statement, "Print the sum of two numbers."},
		{"a message in parts", first("nemo_gym", 1).Statement, "Write add(a, b)."},
		{"a statement of KodCode names what its tests import", first("kodcode", 0).Statement, "Write a function that says how often a letter occurs in a word, in upper or lower case.\n\nYour program is the module solution of its tests:\n\nfrom solution import often, most"},
		{"starter code", first("deepcoder", 1).Starter, "class Solution:\n    def atLeast(self, items, k):\n        "},
		{"limits of TACO, five times as long", fmt.Sprint(first("taco", 0).Tests.Limits.CPU, first("taco", 0).Tests.Limits.Memory), "10s 268435456"},
		{"limits of Codeforces, memory at least 64 MiB", fmt.Sprint(cf.Tests.Limits.CPU, cf.Tests.Limits.Memory), "2.5s 67108864"},
		{"the checker gets the expected output first", fmt.Sprint(cf.Tests.ExpectedFirst, strings.HasPrefix(cf.Tests.Checker, "import sys")), "true true"},
		{"a statement of Codeforces", cf.Statement, "# Sums\n\nYou get two numbers.\n\nTime limit in seconds: 0.5\n\nMemory limit in MB: 16.0\n\n## Input\n\nTwo numbers.\n\n## Output\n\nTheir sum.\n\n## Example 1\n\nInput:\n\n```\n1 2\n```\n\nOutput:\n\n```\n3\n```\n\n## Note\n\nNo note."},
	} {
		if test.got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", test.why, test.got, test.want)
		}
	}
}

func TestSettings(t *testing.T) {
	const row = `{"question":"q","input_output":{"inputs":["1"],"outputs":["2"]},"time_limit":%s,"memory_limit":%s}`
	for _, test := range []struct {
		time, memory string
		settings     problems.Settings
		want         string
	}{
		{`"2.0 seconds"`, `"512 MB"`, problems.Settings{TimeFactor: 1}, "2s 536870912 lines"},
		{`1500`, `null`, problems.Settings{}, `time_limit: is "1500", want seconds, more than 0 and at most 600`},
		{`"1500 ms"`, `"64000 kilobytes"`, problems.Settings{TimeFactor: 2}, "3s 67108864 lines"},
		{`"None"`, `""`, problems.Settings{Compare: codegrade.Exact}, "0s 0 exact"},
		{`0`, `null`, problems.Settings{}, `time_limit: is "0", want seconds`},
		{`"soon"`, `null`, problems.Settings{}, `time_limit: is "soon", want seconds`},
		{`[1]`, `null`, problems.Settings{}, `time_limit: is a list, want seconds`},
		{`1`, `"1 parsec"`, problems.Settings{}, `memory_limit: is "1 parsec", want megabytes, more than 0 and at most 16384, such as 256 or "256.0 megabytes"`},
		{`1e999`, `1`, problems.Settings{}, `time_limit: is "1e999", want seconds`},
	} {
		all, faults := lines(t, fmt.Sprintf(row, test.time, test.memory), test.settings)
		got := fmt.Sprint(faults)
		if len(all) == 1 {
			got = fmt.Sprint(all[0].Tests.Limits.CPU, all[0].Tests.Limits.Memory, " ", all[0].Tests.Compare)
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s, %s: %s, want %s", test.time, test.memory, got, test.want)
		}
	}
}

func TestCompiledProgramsHaveNoMoreTime(t *testing.T) {
	for language, want := range map[string]string{"python": "5s", "javascript": "5s", "cpp": "1s", "c": "1s"} {
		all, faults := lines(t, `{"prompt":"q","time_limit":1,"verification_info":{"language":"`+language+`","test_cases":[{"type":"stdin_stdout","input":"1","output":"1"}]}}`, problems.Settings{})
		if len(all) != 1 || all[0].Tests.Limits.CPU.String() != want {
			t.Errorf("%s: %+v, faults %v, want %s", language, all, faults, want)
		}
	}
}

// packed is base64 of zlib of a pickle of protocol 3.
func packed(text string) string {
	pickle := append([]byte("\x80\x03X"), binary.LittleEndian.AppendUint32(nil, uint32(len(text)))...)
	return zipped(append(append(pickle, text...), "q\x00."...))
}

func zipped(raw []byte) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write(raw)
	w.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func TestBadRowsAreCountedAndTheRestIsUsed(t *testing.T) {
	const good = `{"id":"a","question":"q","input_output":{"inputs":["1"],"outputs":["2"]}}`
	apps := func(tests string) string { return `{"question":"q","input_output":` + tests + `}` }
	lcb := func(private string) string {
		return `{"question_content":"q","public_test_cases":"[]","private_test_cases":"` + private + `"}`
	}
	for _, test := range []struct{ why, line, says string }{
		{"no JSON", `{`, "the JSON ends too early"},
		{"no object", `17`, "is a number, want an object"},
		{"two values", good + good, "stands where it may not"},
		{"half UTF-8", "{\"question\":\"q\",\"input_output\":{\"inputs\":[\"\xe2\x82\"],\"outputs\":[\"2\"]}}", "byte 44, 0xe2, is not UTF-8: write the text anew as UTF-8"},
		{"half a surrogate pair", apps(`{"inputs":["\ud83d"],"outputs":["2"]}`), "input_output.inputs[0]: has half a surrogate pair, which is no character: leave the row out"},
		{"the same within JSON", apps(`"{\"inputs\":[\"\\ud83d\"],\"outputs\":[\"2\"]}"`), "has half a surrogate pair"},
		{"unknown columns", `{"text":"q","tests":["1"]}`, "the columns tests, text are of no known form: name them as in a known one: statement and tests (quintain); "},
		{"no columns", `{}`, "are of no known form"},
		{"a column twice", `{"question":"q","question":"r"}`, "question: stands there twice"},
		{"no statement", `{"question":"","input_output":{"inputs":["1"],"outputs":["2"]}}`, "question or prompt or problem: is missing: leave the row out"},
		{"a statement that is no text", `{"question":["q"],"input_output":{"inputs":["1"],"outputs":["2"]}}`, "question: is a list, want a text"},
		{"no tests, as APPS writes it", apps(`""`), "input_output: there are no tests: leave the row out, or write some"},
		{"no tests in lists", apps(`{"inputs":[],"outputs":[]}`), "input_output: there are no tests"},
		{"no lists", apps(`{}`), "input_output: there are no tests"},
		{"tests of null", apps(`null`), "input_output: there are no tests"},
		{"tests that are a number", apps(`7`), "input_output: is a number, want a list or an object"},
		{"tests that are no JSON", apps(`"{inputs"`), "input_output: is neither JSON nor a literal of Python: 'i' stands"},
		{"more inputs than outputs", apps(`{"inputs":["1","2"],"outputs":["2"]}`), "input_output: there are 2 inputs and 1 outputs: want as many of both"},
		{"inputs that are no list", apps(`{"inputs":7,"outputs":["2"]}`), "input_output: inputs: is a number, want a list"},
		{"an input of null", apps(`{"inputs":[null],"outputs":["2"]}`), "input_output: input 0: is null, want a text or a list of lines"},
		{"a line that is a list", apps(`{"inputs":["1"],"outputs":[["2",[]]]}`), "input_output: output 0: line 1 is a list, want a text"},
		{"a function without a good name", apps(`{"fn_name":"f(x)","inputs":[[1]],"outputs":[2]}`), `input_output: fn_name: "f(x)" is not the name of a function`},
		{"arguments that are an object", apps(`{"fn_name":"f","inputs":[{}],"outputs":[2]}`), "input_output: input 0: is an object, want a list of arguments"},
		{"arguments that are no JSON", apps(`{"fn_name":"f","inputs":["x"],"outputs":[2]}`), "input_output: the inputs are texts, and not arguments as JSON"},
		{"a result that is no JSON", apps(`{"fn_name":"f","inputs":["[1]"],"outputs":["x"]}`), "input_output: output 0: is not JSON: 'x' stands"},
		{"nested without end", apps(strings.Repeat("[", 300) + strings.Repeat("]", 300)), "is nested deeper than 200"},
		{"the same within JSON", apps(`{"fn_name":"f","inputs":["` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `"],"outputs":["1"]}`), "not arguments as JSON"},
		{"solutions that are numbers", `{"question":"q","solutions":[1],"input_output":{"inputs":["1"],"outputs":["2"]}}`, "solutions[0]: is a number, want a text"},
		{"an ID that is taken", strings.ReplaceAll(good, `"q"`, `"r"`), `id: "a" is already the ID of row 1`},
		{"an ID that is a list", strings.ReplaceAll(good, `"a"`, `[]`), "id: is a list, want a text"},
		{"private tests that are neither", lcb("!"), "private_test_cases: is neither a list nor base64"},
		{"base64 of something else", lcb("aGVsbG8="), "private_test_cases: is base64, but not of zlib"},
		{"zlib that is cut", lcb(packed("[]")[:12]), "private_test_cases: is damaged: its zlib does not end"},
		{"a pickle that runs code", lcb(zipped([]byte("cos\nsystem\n(S'id'\ntR."))), "private_test_cases: byte 0 of the pickle: opcode 'c': want the pickle of one text"},
		{"a pickle of no JSON", lcb(packed("[")), "private_test_cases: the unpacked tests: is neither JSON"},
		{"a pickle of an object", lcb(packed("{}")), "private_test_cases: the unpacked tests: is an object, want a list"},
		{"a bomb", lcb(zipped(make([]byte, 3<<20))), "private_test_cases: byte 0 of the pickle: opcode '\\x00'"},
		{"no tests in LiveCodeBench", lcb("[]"), "public_test_cases: there are no tests"},
		{"a test that is a text", strings.ReplaceAll(lcb(""), `"[]"`, `["x"]`), "public_test_cases: [0]: is a text, want an object"},
		{"a test without an output", strings.ReplaceAll(lcb(""), `"[]"`, `[{"input":"1"}]`), "public_test_cases: [0].output: is missing: write it, or leave the test out"},
		{"tests of both kinds", strings.ReplaceAll(lcb(""), `"[]"`, `[{"input":"1","output":"1","testtype":"functional"},{"input":"1","output":"1","testtype":"stdin"}]`), "public_test_cases: 1 of 2 tests call a function, and the others do not"},
		{"calls of no name", strings.ReplaceAll(lcb(""), `"[]"`, `[{"input":"1","output":"1","testtype":"functional"}]`), "public_test_cases: the tests call a function without a name: write fn_name, or metadata.func_name"},
		{"a language that is not there", `{"prompt":"q","verification_info":{"language":"cobol","test_cases":[{"type":"stdin_stdout","input":"1","output":"1"}]}}`, `tests: language: is "cobol", want `},
		{"no verification info", `{"prompt":"q","verification_info":null}`, "verification_info.test_cases: there are no tests"},
		{"a reply in the prompt", `{"prompt":[{"role":"assistant","content":"a"}],"reward_model":{"ground_truth":{"inputs":["1"],"outputs":["2"]}}}`, "prompt[0]: is not a message of the user or the system: leave it out"},
		{"an image in the prompt", `{"prompt":[{"role":"user","content":[{"type":"image"}]}],"reward_model":{}}`, "prompt[0].content: has a part that is no text: leave the row out"},
		{"an empty prompt", `{"prompt":[],"reward_model":{"ground_truth":{"inputs":["1"],"outputs":["2"]}}}`, "the statement is empty: leave the row out"},
		{"no ground truth", `{"prompt":"q","reward_model":{}}`, "reward_model.ground_truth: there are no tests"},
		{"asserts that are blank", `{"prompt":"q","reward_model":{"ground_truth":{"assert_case":[" "]}}}`, "reward_model.ground_truth.assert_case: there are no tests"},
		{"no unit tests", `{"responses_create_params":{"input":"q"},"verifier_metadata":{}}`, "verifier_metadata.unit_tests: there are no tests"},
		{"metadata that are a list", `{"responses_create_params":{"input":"q"},"verifier_metadata":[]}`, "verifier_metadata: is a list, want an object"},
		{"a function that the prompt lacks", `{"prompt":"def f(x):","test":"check","entry_point":"g"}`, "prompt: it does not begin the function g: correct entry_point"},
		{"an entry point that is no name", `{"prompt":"def f(x):","test":"check","entry_point":"f;g"}`, `entry_point: "f;g" is not the name of a function`},
		{"no test", `{"prompt":"def f(x):","test":null,"entry_point":"f"}`, "test: is missing: leave the row out"},
		{"an empty list of tests", `{"text":"q","test_list":[]}`, "test_list: there are no tests"},
		{"no class of tests", `{"instruct_prompt":"q","test":"x","entry_point":"f"}`, "test: has no class TestCases: leave the row out"},
		{"no official tests", `{"description":"q","official_tests":[]}`, "official_tests: there are no tests"},
		{"another way to read", `{"description":"q","input_mode":"telnet","official_tests":[{"input":"1","output":"1"}]}`, `input_mode: is "telnet", want stdio or file: leave the row out`},
		{"no description", `{"description":null,"official_tests":[{"input":"1","output":"1"}]}`, "description: is missing: leave the row out"},
		{"our form, an unknown kind", `{"statement":"q","tests":{"language":"python","kind":"magic","cases":[{"input":"1","output":"1"}]}}`, `tests: kind: is "magic", want `},
		{"our form, no case", `{"statement":"q","tests":{"language":"python","kind":"stdin"}}`, "tests: there are no tests"},
		{"our form, a wrong type", `{"statement":"q","tests":{"language":7}}`, "tests.language: is a number, want a text"},
		{"our form, arguments that are no list", `{"statement":"q","tests":{"language":"python","kind":"call","function":"f","cases":[{"input":"1","output":"1"}]}}`, "tests: cases[0].input: is not an array of arguments"},
	} {
		all, faults := lines(t, good+"\n"+test.line+"\n\n"+strings.ReplaceAll(good, `"a"`, `"b"`), problems.Settings{})
		if len(all) != 2 || len(faults) != 1 || faults[0].Row != 2 || !strings.Contains(faults[0].Error(), test.says) {
			t.Errorf("%s: %d problems, faults %.300v, want %q", test.why, len(all), faults, test.says)
		}
	}
}

func TestAJSONListIsTheSameFile(t *testing.T) {
	text, err := os.ReadFile("testdata/apps.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	want, _ := lines(t, string(text), problems.Settings{})
	got, _ := lines(t, "\n [\n"+strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", ",\n")+"\n]\n", problems.Settings{})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	path := filepath.Join(t.TempDir(), "cut.json")
	if err := os.WriteFile(path, []byte(`[{"a":1},`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readAll(path, problems.Settings{}); err == nil || !strings.Contains(err.Error(), "after element 1 of the JSON list: the JSON ends too early") {
		t.Errorf("a list that is cut: error %v", err)
	}
}

func TestWhatIsReadIsWrittenAndReadAgain(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) < 12 {
		t.Fatalf("%v, error %v", files, err)
	}
	for _, file := range files {
		want, _ := read(t, filepath.Base(file))
		var text strings.Builder
		for i, p := range want {
			line, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(append(line, '\n'))
			want[i].Form, want[i].Also = "quintain", []codegrade.Tests{}
		}
		if got, faults := lines(t, text.String(), problems.Settings{}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: faults %v\n got %+v\nwant %+v", file, faults, got, want)
		}
	}
}

func TestParquetIsTheSameFile(t *testing.T) {
	type message struct {
		Role    string `parquet:"role"`
		Content string `parquet:"content"`
	}
	type model struct {
		Style string `parquet:"style"`
		Truth string `parquet:"ground_truth"`
	}
	type extra struct {
		Split string `parquet:"split"`
		Index int64  `parquet:"index"`
	}
	type item struct {
		Source string    `parquet:"data_source"`
		Prompt []message `parquet:"prompt,list"`
		Model  model     `parquet:"reward_model"`
		Extra  extra     `parquet:"extra_info"`
		Limit  *float64  `parquet:"time_limit,optional"`
	}
	limit := 2.0
	items := []item{
		{"ours", []message{{"system", "Think."}, {"user", "Print the sum."}}, model{"rule", `{"inputs":["1 2\n"],"outputs":["3\n"]}`}, extra{"train", 0}, &limit},
		{"ours", []message{{"user", "Half \xe2\x82"}}, model{"rule", `{"inputs":["1"],"outputs":["3"]}`}, extra{"train", 1}, nil},
		{"ours", []message{{"user", "Write add(a, b)."}}, model{"rule", `{"fn_name":"add","inputs":["1\n2"],"outputs":["3"]}`}, extra{"train", 2}, nil},
	}
	path := filepath.Join(t.TempDir(), "verl.parquet")
	if err := parquet.WriteFile(path, items); err != nil {
		t.Fatal(err)
	}
	all, faults, err := readAll(path, problems.Settings{})
	if err != nil || len(all) != 2 || len(faults) != 1 || faults[0].Error() != "row 2: prompt: is a text that is not UTF-8 in the column prompt.list.element.content of Parquet, which is not read, want a list" {
		t.Fatalf("%+v, faults %v, error %v", all, faults, err)
	}
	for i, want := range []string{`verl 1 stdin trim, 0 solutions; "1 2\n" "3\n"`, `verl 3 call add, 0 solutions; "[1,2]" "3"`} {
		if got := brief(all[i]); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if cpu := all[0].Tests.Limits.CPU; cpu.Seconds() != 10 || all[1].Tests.Limits.CPU != 0 {
		t.Errorf("limits of %v and %v", cpu, all[1].Tests.Limits.CPU)
	}
}

// TestCSVIsTheSameFile writes rows to CSV as pandas does, but for lists and objects, which are JSON.
func TestCSVIsTheSameFile(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) < 12 {
		t.Fatalf("%v, error %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var fields map[string]json.RawMessage
			if err := json.Unmarshal([]byte(line), &fields); err != nil {
				t.Fatal(err)
			}
			names := slices.Sorted(maps.Keys(fields))
			var cells []string
			for _, name := range names {
				cell := string(fields[name])
				_ = json.Unmarshal(fields[name], &cell) // what is no text stays JSON; null becomes ""
				cells = append(cells, strings.TrimPrefix(cell, "null"))
			}
			path := filepath.Join(t.TempDir(), "rows.csv")
			var b bytes.Buffer
			w := csv.NewWriter(&b)
			if err := errors.Join(w.WriteAll([][]string{names, cells}), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
				t.Fatal(err)
			}
			want, faults := lines(t, line, problems.Settings{})
			got, gotFaults, err := readAll(path, problems.Settings{})
			if err != nil || !reflect.DeepEqual(got, want) || len(gotFaults) != len(faults) {
				t.Errorf("%s: %.200s\n got %+v, faults %v, error %v\nwant %+v", file, line, got, gotFaults, err, want)
			}
		}
	}
}

func TestBadCSV(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.CSV")
	text := "question,input_output\nq,\"{\"\"inputs\"\":[1],\"\"outputs\"\":[2]}\"\nq\nhalf \xe2\x82,{}\nq,\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	all, faults, err := readAll(path, problems.Settings{})
	if err != nil || len(all) != 1 || fmt.Sprint(faults) != "[row 2: line 3: there are 1 cells, want 2, one for each column row 3: question: is not UTF-8: write the file anew as UTF-8 row 4: input_output: there are no tests: leave the row out, or write some]" {
		t.Errorf("%+v, faults %v, error %v", all, faults, err)
	}
}

func TestNumbersAndListsOfParquet(t *testing.T) {
	type truth struct {
		Function string      `parquet:"fn_name"`
		Inputs   [][]float64 `parquet:"inputs,list"`
		Outputs  []int32     `parquet:"outputs,list"`
	}
	type item struct {
		Question string `parquet:"question"`
		Tests    truth  `parquet:"input_output"`
		ID       int64  `parquet:"problem_id"`
	}
	path := filepath.Join(t.TempDir(), "apps.parquet")
	if err := parquet.WriteFile(path, []item{{"Write f(a, b).", truth{"f", [][]float64{{1, 2.5}, {1e300, -0.1}}, []int32{3, -4}}, 7}}); err != nil {
		t.Fatal(err)
	}
	all, faults, err := readAll(path, problems.Settings{})
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, faults %v, error %v", all, faults, err)
	}
	if got, want := brief(all[0]), `APPS 7 call f, 0 solutions; "[1.0,2.5]" "3"; "[1e+300,-0.1]" "-4"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestLongOutputsHaveRoom(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	all, _ := lines(t, `{"question":"q","input_output":{"inputs":["1"],"outputs":["`+long+`"]}}`, problems.Settings{})
	if got := all[0].Tests.Limits.Output; got < 2<<20 {
		t.Errorf("an output of 1 MiB has room for %d bytes", got)
	}
}

func TestFilesOfOtherFormatsAreRefused(t *testing.T) {
	for start, says := range map[string]string{
		"PAR1\x15":                       "the file is Parquet: give it a name that ends with .parquet",
		"\x1f\x8b\x08":                   "compressed by gzip: decompress it first",
		"PK\x03\x04":                     "compressed by zip",
		"\x28\xb5\x2f\xfd\x00":           "compressed by zstd",
		"version https://git-lfs.github": "a pointer of Git LFS: fetch its content",
	} {
		path := filepath.Join(t.TempDir(), "rows.jsonl")
		if err := os.WriteFile(path, []byte(start+"more"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := readAll(path, problems.Settings{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v", start, err)
		}
		if _, err := problems.IsCode(problems.Opened(t, path)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v", start, err)
		}
	}
	path := filepath.Join(t.TempDir(), "rows.parquet")
	if err := os.WriteFile(path, []byte("PAR1 and nothing else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readAll(path, problems.Settings{}); err == nil || !strings.Contains(err.Error(), "not a Parquet file") {
		t.Errorf("error %v", err)
	}
}

func TestFilesOfCodeAreTold(t *testing.T) {
	for text, want := range map[string]bool{
		`{"question":"q","answer":"1"}`:                       false,
		`{"question":"q","input_output":""}`:                  true,
		"{\n" + `{"prompt":"p","test":"t","entry_point":"e"}`: true,
		"": false,
		`[{"question_content":"q","public_test_cases":[]},{"x":1}]`: true,
	} {
		path := filepath.Join(t.TempDir(), "rows.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if is, err := problems.IsCode(problems.Opened(t, path)); is != want || err != nil {
			t.Errorf("%s: %v, error %v", text, is, err)
		}
	}
	if _, err := dataset.OpenRows(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that does not exist is read")
	}
}
