package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// program is a scenario with its own problems. The solution is the problem's index.
func program(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			ID          int
			Hello       any
			Open, Solve *quintain.Problem
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, `{"id":%d,`, asked.ID)
		switch {
		case asked.Hello != nil:
			fmt.Fprint(w, `"hello":{"protocol":1,"name":"echo","version":1,"levels":[{"n":1},{"n":2}],"solves":true}}`)
		case asked.Open != nil:
			fmt.Fprintf(w, `"messages":[{"role":"user","content":"Say <answer>%d</answer>."}]}`, asked.Open.Index)
		case asked.Solve != nil:
			fmt.Fprintf(w, `"solution":"%d"}`, asked.Solve.Index)
		default: // the end of an episode that was given up
			fmt.Fprint(w, `"reward":0}`)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestItImitatesAProgram(t *testing.T) {
	url, file := "environment.address="+program(t), filepath.Join(t.TempDir(), "mine.weights")
	s, err := open([]string{"-updates", "1", "-batch", "2", "-with", url, file}, io.Discard)
	if err == nil {
		err = s.make(t.Context(), io.Discard)
	}
	if err != nil {
		t.Fatal(err)
	}
	if weights, err := os.Stat(file); err != nil || weights.Size() == 0 {
		t.Errorf("there are no weights: %v", err)
	}
	if s, err = open([]string{"-with", url, "-with", "tasks=gcd", file}, io.Discard); err == nil {
		err = s.make(t.Context(), io.Discard)
	}
	if err == nil || !strings.Contains(err.Error(), "leave out tasks") {
		t.Errorf("with tasks: error %v", err)
	}
}

func TestGamesHaveTheirSizesAndUpdates(t *testing.T) {
	plain, err := open([]string{"a.weights"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	game, err := open([]string{"-scenario", "slippery_grid", "a.weights"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if game.Source.Scenario.Name != "slippery_grid" || game.Model.Context <= plain.Model.Context || game.warm.Sizes.Context != game.Model.Context || game.warm.Updates < 1 {
		t.Errorf("%+v", game.warm)
	}
}

func TestWrongFlagsAreRefused(t *testing.T) {
	for want, args := range map[string]string{
		"want one file":         "",
		"of 0 or more":          "-updates -1 a.weights",
		"want KEY=VALUE":        "-with tasks a.weights",
		"no such setting":       "-with run.seed=2 a.weights",
		"there is no file":      "-config none.yaml a.weights",
		`is "nothing", want`:    "-scenario nothing a.weights",
		"want a multiple of 16": "-with model.width=17 a.weights",
	} {
		if _, err := open(strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", args, err, want)
		}
	}
}
