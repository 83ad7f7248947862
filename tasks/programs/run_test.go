package programs

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.starlark.net/starlark"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
	"github.com/quintain-rl/quintain/text/pyvalue"
)

// hostile returns costly values for a parameter, each of about n values and characters.
func hostile(q param, n int) (list []pyvalue.Value) {
	integers := []pyvalue.Value{int64(0), int64(1), int64(7), int64(maxMade / (2*n + 4)), int64(maxMade / 8), int64(1_000_000), int64(maxInt), int64(-maxInt)}
	texts := []string{"a", "9", "9a", "aab", "9+9*", "([", "ab cd "}
	for _, of := range q.of {
		texts = append(texts, of+" ", of)
	}
	switch q.kind {
	case "int", "times":
		return integers
	case "word", "text", "letters":
		for _, s := range texts {
			list = append(list, strings.Repeat(s, n/len(s)))
		}
		return append(list, "", "a")
	case "words", "picks":
		list = append(list, listOfN(n, func(int) pyvalue.Value { return "" }), listOfN(1, func(int) pyvalue.Value { return strings.Repeat("a", n-2) }),
			listOfN(n/2, func(i int) pyvalue.Value { return texts[i%len(texts)][:1] }), listOfN(n/20, func(i int) pyvalue.Value { return strings.Repeat(fmt.Sprint(i), 9) }))
		for i, s := range q.of {
			list = append(list, listOfN(n/(len(s)+1), func(int) pyvalue.Value { return s }), listOfN(n/9, func(k int) pyvalue.Value { return q.of[(i+k*k)%len(q.of)] }))
		}
		return list
	case "ints", "distinct", "lengths":
		for _, v := range integers {
			list = append(list, listOfN(n-1, func(int) pyvalue.Value { return v }), listOfN(3, func(int) pyvalue.Value { return v }))
		}
		return append(list, listOfN(n-1, func(i int) pyvalue.Value { return int64(i) }), listOfN(n-1, func(i int) pyvalue.Value { return int64(n - i) }),
			listOfN(n-1, func(i int) pyvalue.Value { return int64(i*i*i) % 97 }), listOfN(40, func(i int) pyvalue.Value { return int64(1) << i % maxInt }))
	case "rows":
		for _, columns := range []int{1, 2, 30, n - 3} {
			for _, v := range integers {
				list = append(list, listOfN((n-1)/(columns+1), func(int) pyvalue.Value { return listOfN(columns, func(int) pyvalue.Value { return v }) }))
			}
		}
		return list
	case "counts":
		for _, v := range integers {
			d := pyvalue.NewDict(0)
			for i := range n / 6 {
				d.Set(fmt.Sprint(i), v)
			}
			list = append(list, d)
		}
		return list
	case "pairs":
		for _, v := range integers {
			list = append(list, listOfN(n/7, func(i int) pyvalue.Value { return listWith(fmt.Sprint(i), v) }), listOfN(n/4, func(int) pyvalue.Value { return listWith("a", v) }))
		}
		return list
	}
	panic("no hostile values of the kind " + q.kind)
}

func listOfN(n int, item func(i int) pyvalue.Value) *pyvalue.List {
	l := listWith()
	for i := range n {
		l.Items = append(l.Items, item(i))
	}
	return l
}

// combinations calls f with every choice of one value of each list.
func combinations(lists [][]pyvalue.Value, chosen []pyvalue.Value, f func(args []pyvalue.Value)) {
	if len(lists) == 0 {
		f(chosen)
		return
	}
	for _, v := range lists[0] {
		combinations(lists[1:], append(chosen, v), f)
	}
}

// No argument makes a call allocate much; go.starlark.net itself limits the steps. The heavy test
// tries all combinations of hostile arguments with all programs, others a part.
func TestHostileCallsAreCheap(t *testing.T) {
	const most = 8 << 20 // bytes that a call allocates
	var worst, slowest struct {
		program string
		bytes   uint64
		time    time.Duration
	}
	combination, calls, ran := 0, 0, 0
	stride := 50
	if tasktest.Heavy {
		stride = 1
	}
	sample(t, func(p *program) {
		var lists [][]pyvalue.Value
		for _, q := range p.params {
			lists = append(lists, hostile(q, maxSize/len(p.params)-1))
		}
		combinations(lists, nil, func(args []pyvalue.Value) {
			if combination++; combination%stride != 0 {
				return
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, err := p.call(args)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			calls++
			if err == nil {
				ran++
			}
			bytes := after.TotalAlloc - before.TotalAlloc
			if bytes > most {
				t.Errorf("%s of %.200s allocates %d bytes, want at most %d; error %v", p.name, show(listWith(args...)), bytes, most, err)
			}
			if bytes > worst.bytes {
				worst.program, worst.bytes = p.name, bytes
			}
			if took > slowest.time {
				slowest.program, slowest.time = p.name, took
			}
		})
	})
	t.Logf("%d calls, %d with an output: %s allocates %d bytes, %s takes %v", calls, ran, worst.program, worst.bytes, slowest.program, slowest.time)
	if ran < calls/4 {
		t.Errorf("%d of %d calls had an output", ran, calls)
	}
}

// An input with one argument five times as long or as large as those drawn still runs.
func TestLongInputs(t *testing.T) {
	sample(t, func(p *program) {
		r := rng.New(1, p.name)
		for i, q := range p.params {
			if drawers[q.kind].ranges == 0 || p.family == "look_and_say" { // which doubles the text with each round
				continue
			}
			longer := *p
			longer.params = slices.Clone(p.params)
			most := q.ranges[0][1]
			longer.params[i].ranges = slices.Concat([][2]int{{most, 5 * most}}, q.ranges[1:])
			if q.kind == "distinct" {
				longer.params[i].ranges[1][1] *= 5
			}
			for range tasktest.Count(20, 5) {
				input := longer.draw(large, r)
				_, err := p.run(input)
				if err != nil && !strings.Contains(err.Error(), "out of range") { // as in CPython
					t.Errorf("%s of %s: %v", p.name, show(input), err)
				}
			}
		}
	})
}

// main takes only values of the kinds that are drawn, on which Starlark and Python agree.
func TestArguments(t *testing.T) {
	all, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	ascii, long := "in ASCII and with integers of at most 12 digits", strings.Repeat("a", maxSize)
	for _, test := range []struct{ program, input, want string }{
		{"affine", `{"n": 999999999999}`, ""},
		{"affine", `{"n": -999999999999}`, ""},
		{"affine", `{"n": 1000000000000}`, "want n to be an integer, " + ascii},
		{"affine", `{"n": 1` + strings.Repeat("0", 400) + `}`, "want n to be an integer, " + ascii},
		{"affine", `{"n": true}`, "want n to be an integer, " + ascii},
		{"affine", `{"n": 2.5}`, "want n to be an integer, " + ascii},
		{"affine", `{"n": null}`, "want n to be an integer, " + ascii},
		{"affine", `{"n": "2"}`, "want n to be an integer, " + ascii},
		{"affine", `{}`, "the input has no n"},
		{"affine", `{"n": 2, "m": 3}`, "the input has a m, which main does not take"},
		{"alternate_case", `{"text": " ~%\"\\"}`, ""},
		{"alternate_case", `{"text": "\u00e9"}`, "want text to be a string, " + ascii},
		{"alternate_case", `{"text": "a\n"}`, "want text to be a string, " + ascii},
		{"alternate_case", `{"text": ["a"]}`, "want text to be a string, " + ascii},
		{"alternate_case", `{"text": "` + long[1:] + `"}`, ""},
		{"alternate_case", `{"text": "` + long + `"}`, "the input has 1025 values and characters, want at most 1024"},
		{"lengths", `{"words": []}`, ""},
		{"lengths", `{"words": ["a", 1]}`, "want words to be a list of strings, " + ascii},
		{"lengths", `{"words": "ab"}`, "want words to be a list of strings, " + ascii},
		{"total", `{"numbers": [1, true]}`, "want numbers to be a list of integers, " + ascii},
		{"transpose", `{"rows": [[1, 2], []]}`, "out of range"},
		{"transpose", `{"rows": [1]}`, "want rows to be a list of rows, which are lists of integers, " + ascii},
		{"invert", `{"table": {"a": 1}}`, ""},
		{"invert", `{"table": {"a": "b"}}`, "want table to be an object with integers as values, " + ascii},
		{"invert", `{"table": [["a", 1]]}`, "want table to be an object with integers as values, " + ascii},
		{"total_of_orders", `{"orders": [["a", 1]]}`, ""},
		{"total_of_orders", `{"orders": [["a", 1, 2]]}`, "want orders to be a list of pairs, each of a string and an integer, " + ascii},
		{"total_of_orders", `{"orders": [[1, "a"]]}`, "want orders to be a list of pairs, each of a string and an integer, " + ascii},
		{"surround", `{"text": "abc", "times": 13107}`, ""}, // 5 values and characters
		{"surround", `{"text": "abc", "times": 13108}`, "13108 is too large for this program and this input"},
		{"surround", `{"text": "abc", "times": -9}`, ""},
		{"stars", `{"numbers": [1, 999999999999]}`, "999999999999 is too large for this program and this input"},
		{"fibonacci_like", `{"a": 1, "b": 1, "n": 999999999999}`, "too many steps"},
		{"fibonacci_like", `{"a": 1, "b": 1, "n": 1000}`, "the output is too large"},
		{"stack", `{"commands": ["9", "swap", "mul"]}`, ""},
		{"stack", `{"commands": ["` + long[10:] + `", "9"]}`, ""},
	} {
		input, err := pyvalue.ParseJSON([]byte(test.input))
		if err != nil {
			t.Fatal(err)
		}
		output, err := all.names[test.program].run(input.(*pyvalue.Dict))
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s of %.60s: %.60s, error %v; want %q", test.program, test.input, output, err, test.want)
		}
	}
}

// compile refuses a program without main, and one that loads or recurses fails.
func TestCompile(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{"def main():\n  return 1 +", "got newline, want primary expression"},
		{"def main():\n  return y", "undefined: y"},
		{"def main():\n  while True:\n    pass", "does not support while loops"},
		{"x = 1", "the program has no function main"},
		{"load('a', 'b')", "load not implemented"},
		{"def main():\n  return main()", "called recursively"},
		{"SEEN = []\ndef main():\n  SEEN.append(1)", "cannot append to frozen list"},
		{"def main():\n  return {1: 2}", "a dict with a int as a key"},
		{"def main():\n  return [len]", "main returns a builtin"},
		{"def main():\n  print(1)\n  return [None, True, (1, -2), {'a\"': 'b'}, []]", ""},
	} {
		p := &program{compiled: func() (*starlark.Function, error) { return compile(test.source) }}
		output, err := p.call(nil)
		if test.want == "" && output != `[null, true, [1, -2], {"a\"": "b"}, []]` {
			t.Errorf("%q returns %s", test.source, output)
		}
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.source, err, test.want)
		}
	}
}
