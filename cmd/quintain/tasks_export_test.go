package main

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
)

// All cores make problems, but they come in their order, each as it comes alone.
func TestExportOrder(t *testing.T) {
	for _, format := range []string{"quintain", "reasoning-gym"} {
		for _, count := range []int{0, 1, 3, 2500} {
			d := draft{task: "chain_sum", seed: 7, level: 1, index: 5}
			chain, err := d.open()
			if err != nil {
				t.Fatal(err)
			}
			var got, want strings.Builder
			out := exportOut{to: &got, form: exporters[format], count: count}
			if err := out.export(chain, d); err != nil {
				t.Fatal(err)
			}
			add := exporters[format]()
			for n := range count {
				p, err := chain.Problem(quintain.Draw{Seed: 7, Level: 1, Index: 5 + n})
				if err != nil {
					t.Fatal(err)
				}
				line, err := add(nil, chain, p)
				if err != nil {
					t.Fatal(err)
				}
				want.Write(append(line, '\n'))
			}
			if got.String() != want.String() {
				t.Errorf("%s, %d problems: %d bytes are not the %d bytes of the problems one by one", format, count, got.Len(), want.Len())
			}
		}
	}
}

// A pipe calls f with what is written.
type pipe func(p []byte) (int, error)

func (w pipe) Write(p []byte) (int, error) { return w(p) }

func TestExportEnds(t *testing.T) {
	const forEver = 1 << 50
	interrupts, closed := make(chan os.Signal, 1), errors.New("nobody reads any more")
	interrupt := pipe(func(p []byte) (int, error) {
		select {
		case interrupts <- os.Interrupt:
		default:
		}
		return len(p), nil
	})
	for _, test := range []struct {
		name     string
		to       pipe
		distinct bool
		want     error
	}{
		{"interrupt", interrupt, false, errExportCut},
		{"interrupt, distinct", interrupt, true, errExportCut},
		{"closed pipe", func([]byte) (int, error) { return 0, closed }, false, closed},
		{"closed pipe, distinct", func([]byte) (int, error) { return 0, closed }, true, closed},
	} {
		d := draft{task: "chain_sum", seed: 1, level: 5}
		chain, err := d.open()
		if err != nil {
			t.Fatal(err)
		}
		out := exportOut{to: test.to, form: exporters["quintain"], interrupts: interrupts, count: forEver, distinct: test.distinct}
		ended := make(chan error, 1)
		go func() { ended <- out.export(chain, d) }()
		select {
		case err := <-ended:
			if !errors.Is(err, test.want) {
				t.Errorf("%s: error %v, want %v", test.name, err, test.want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: export does not end", test.name)
		}
		select {
		case <-interrupts:
		default:
		}
	}
}
