//go:build ignore

// Plays the environments of another system's server: go run conformance/guest.go SCHEME URL [ARGS]. Each line of the
// standard input is a request of docs/formats/scenario.md, and each line of the standard output is the answer to one.
// Requests are answered at once, in any order. conformance/guests_http.py and guests_nemo.py compare that with the clients of the peers.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenario/external/guest"
	"github.com/quintain-rl/quintain/scenario/external/nemogym"
	"github.com/quintain-rl/quintain/scenario/external/openenv"
	"github.com/quintain-rl/quintain/scenario/external/ors"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	how, open := guest.Default(), openenv.Open
	switch args[0] {
	case "ors":
		open = ors.Open
	case "nemogym":
		open = nemogym.Open
	}
	if len(args) > 2 {
		if err := strictjson.Unmarshal([]byte(args[2]), &how.Args); err != nil {
			return err
		}
	}
	g, err := open(ctx, guest.Address{Scheme: args[0], Name: args[1]}, how, slog.Default())
	if err != nil {
		return err
	}
	defer g.Close()
	var writing sync.Mutex
	var calls sync.WaitGroup
	defer calls.Wait()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r external.Request
		if err := strictjson.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		calls.Go(func() {
			a, err := call(ctx, g, &r)
			if err != nil {
				a = &external.Answer{Error: err.Error(), Again: errors.Is(err, quintain.ErrLost)}
			}
			a.ID = r.ID
			writing.Lock()
			defer writing.Unlock()
			_ = json.NewEncoder(os.Stdout).Encode(a)
		})
	}
	return lines.Err()
}

func call(ctx context.Context, g external.Guest, r *external.Request) (*external.Answer, error) {
	switch {
	case r.Hello != nil:
		h, err := g.Hello(ctx)
		return &external.Answer{Hello: h}, err
	case r.Open != nil:
		return g.Open(ctx, r.ID, r.Open)
	case r.Step != nil:
		return g.Step(ctx, r.ID, r.Step)
	}
	g.Forget(ctx, r.ID)
	return &external.Answer{}, nil
}
