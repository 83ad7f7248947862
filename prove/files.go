package prove

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// WriteFolder writes prove.json and prove.html into a folder, which it makes.
func (r *Report) WriteFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, write := range map[string]func(io.Writer) error{"prove.json": r.WriteJSON, "prove.html": r.WriteHTML} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// ReadReasons reads why fails are accepted: a JSON object of texts by the ids of checks.
func ReadReasons(data []byte) (reasons map[string]string, err error) {
	if err := strictjson.Unmarshal(data, &reasons); err != nil {
		return nil, errors.New("want a JSON object of reasons by the ids of checks")
	}
	for id, reason := range reasons {
		if !slices.ContainsFunc(Checks(), func(c Check) bool { return c.ID == id }) || reason == "" {
			return nil, fmt.Errorf("%s: want the id of a check, and a reason", id)
		}
	}
	return reasons, nil
}

// Program starts a program that solves problems: it reads the messages of a problem as a line of JSON, and writes
// the reply as a JSON text on a line. Stop ends it. One goroutine at a time is answered.
func Program(command string) (solve func(context.Context, []quintain.Message) (string, error), stop func() error, err error) {
	c := exec.CommandContext(context.Background(), "sh", "-c", command)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := c.Start(); err != nil {
		return nil, nil, err
	}
	lines := bufio.NewReader(out)
	var one sync.Mutex
	solve = func(_ context.Context, opening []quintain.Message) (text string, err error) {
		one.Lock()
		defer one.Unlock()
		asked, err := json.Marshal(opening)
		if err != nil {
			return "", err
		}
		if _, err := in.Write(append(asked, '\n')); err != nil {
			return "", fmt.Errorf("the solver takes no problem: %w", err)
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return "", fmt.Errorf("the solver gives no reply: %w", err)
		}
		if err := strictjson.Unmarshal(line, &text); err != nil {
			return "", errors.New("the solver's reply is no JSON text")
		}
		return text, nil
	}
	return solve, func() error { return errors.Join(in.Close(), c.Wait()) }, nil
}
