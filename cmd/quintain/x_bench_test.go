package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/catalog"
	"github.com/quintain-rl/quintain/task"
)

func rateMake(t quintain.Task, level int, n int) float64 {
	var wg sync.WaitGroup
	procs := runtime.GOMAXPROCS(0)
	began := time.Now()
	for w := range procs {
		wg.Go(func() {
			for i := w * n / procs; i < (w+1)*n/procs; i++ {
				if _, err := t.Problem(quintain.Draw{Seed: 1, Level: level, Index: i}); err != nil {
					panic(err)
				}
			}
		})
	}
	wg.Wait()
	return float64(n) / time.Since(began).Seconds()
}

func rateExport(t quintain.Task, level, n int, format string) (float64, int64) {
	r, w, err := os.Pipe()
	if err != nil { panic(err) }
	var wg sync.WaitGroup
	var read int64
	began := time.Now()
	wg.Go(func() { buf := make([]byte, 128<<10); for { k, err := r.Read(buf); read += int64(k); if err == io.EOF { return } } })
	d := draft{task: t.Info().Name, seed: 1, level: level}
	e := exportOut{to: w, form: exporters[format], count: n}
	if err := e.export(t, d); err != nil { panic(err) }
	w.Close()
	wg.Wait()
	r.Close()
	return float64(n) / time.Since(began).Seconds(), read
}

func TestXExport(t *testing.T) {
	set, _ := task.NewSet(catalog.Tasks())
	var all = map[string][]float64{}
	for _, one := range set.All() {
		for level := range one.Info().Levels {
			n := 200
			rate := rateMake(one, level, n)
			n = max(200, int(rate*0.15))
			rate = rateMake(one, level, n)
			line := fmt.Sprintf("%-28s %d make %9.0f", one.Info().Name, level, rate)
			for _, f := range []string{"quintain", "reasoning-gym"} {
				m := max(100, n/3)
				x, bytes := rateExport(one, level, m, f)
				rate = max(rate, rateMake(one, level, n))
				all[f] = append(all[f], x/rate)
				line += fmt.Sprintf("  %s %9.0f (%.2f) %d B", f, x, x/rate, bytes/int64(m))
			}
			fmt.Println(line)
		}
	}
	for f, v := range all {
		slices.Sort(v)
		fmt.Printf("%s median %.3f min %.3f max %.3f\n", f, v[len(v)/2], v[0], v[len(v)-1])
	}
}
