package programs

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/text/pyvalue"
)

// hostile returns costly values for a parameter, each of about n values and characters.
func hostile(q param, n int) (list []pyvalue.Value) {
	integers := []pyvalue.Value{int64(0), int64(1), int64(-1), int64(7), int64(1000), int64(maxMade / n), int64(maxMade / 2), int64(1_000_000), int64(maxInt), int64(-maxInt)}
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

// No argument makes a call allocate much; go.starlark.net itself limits the steps.
func TestHostileCallsAreCheap(t *testing.T) {
	const most = 8 << 20 // bytes that a call allocates
	var worst, slowest struct {
		program string
		bytes   uint64
		time    time.Duration
	}
	calls, ran := 0, 0
	each(t, func(p *program) {
		var lists [][]pyvalue.Value
		for _, q := range p.params {
			lists = append(lists, hostile(q, maxSize/len(p.params)-1))
		}
		combinations(lists, nil, func(args []pyvalue.Value) {
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

// Inputs five times as long as those drawn have outputs.
func TestLongInputs(t *testing.T) {
	each(t, func(p *program) {
		r := rng.New(1, p.name)
		for _, times := range []int{5, 10} {
		failed := map[string]int{}
		for range 20 {
			longer := *p
			longer.params = nil
			for _, q := range p.params {
				if d := drawers[q.kind]; d.ranges > 0 {
					q.ranges = append([][2]int{{q.ranges[0][1], times * q.ranges[0][1]}}, q.ranges[1:]...)
				}
				if q.kind == "distinct" { q.ranges[1][1] *= 10 }
				longer.params = append(longer.params, q)
			}
			if _, err := p.run(longer.draw(large, r)); err != nil {
				failed[err.Error()]++
			}
		}
		if len(failed) > 0 {
			t.Errorf("%s %d: %v", p.name, times, failed)
		}
		}
	})
}
