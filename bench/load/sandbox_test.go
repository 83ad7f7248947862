//go:build heavy

package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
)

func TestEachWayRunsAsOftenAsWanted(t *testing.T) {
	t.Parallel()
	l := DefaultSandbox()
	l.Times, l.AtOnce = 3, 2
	row, err := l.Run(t.Context())
	if errors.Is(err, sandbox.ErrWeak) {
		return // package native tests that nothing ran
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, cost := range map[string]Cost{"plain": row.Plain, "sandbox": row.Sandbox, "zygote": row.Zygote} {
		if len(cost.Wall) != 3 || len(cost.CPU) != 3 || cost.Rate <= 0 {
			t.Errorf("%s: %+v", name, cost)
		}
	}
	var table strings.Builder
	if err := row.show(&table); err != nil || strings.Count(table.String(), "\n") != 4 || !strings.Contains(table.String(), "by a zygote") {
		t.Errorf("%s, error %v", table.String(), err)
	}
}

func TestAnInterpreterThatFailsIsAnError(t *testing.T) {
	t.Parallel()
	l := DefaultSandbox()
	l.Python, l.Times = "/usr/bin/false", 1
	if _, err := l.Run(t.Context()); err == nil {
		t.Error("no error")
	}
	l.Times = 0
	if err := l.Check(); err == nil || !strings.HasPrefix(err.Error(), "times: ") {
		t.Errorf("error %v", err)
	}
}
