package mcptools_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenario/external/mcptools"
	"github.com/quintain-rl/quintain/serve/mcp"
)

// serveMode is the argument that makes the test binary a server on its pipes, which logs its start in a file.
const serveMode = "serve"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == serveMode {
		if log, err := os.OpenFile(os.Args[2], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			fmt.Fprintln(log, os.Getpid())
			log.Close()
		}
		t := newTrickster(func(line string) { fmt.Print(line) })
		in := bufio.NewScanner(os.Stdin)
		t.next = func() string { in.Scan(); return in.Text() }
		for in.Scan() {
			fmt.Print(t.answer(in.Text()))
		}
		return
	}
	os.Exit(m.Run())
}

// command is the command line of a server, and the file of its starts.
func command(t *testing.T) (line, starts string) {
	starts = t.TempDir() + "/starts"
	return fmt.Sprintf("mcp:'%s' %s '%s'", os.Args[0], serveMode, starts), starts
}

// A trickster is a server with tools that do what a client must survive.
type trickster struct {
	mcp.Server
	say    func(line string) // besides the answer
	next   func() string     // the next message
	called int
	hang   func()
	die    func()
	quit   func() // nothing more is read
}

const anything = `{"type":"object"}`

func newTrickster(say func(string)) *trickster {
	t := &trickster{say: say}
	t.hang = func() { _, _ = io.Copy(io.Discard, os.Stdin) }
	t.quit = func() { os.Stdin.Close() }
	t.die = func() { fmt.Fprintln(os.Stderr, "out of luck"); os.Exit(3) }
	t.Tools = []mcp.Tool{
		{Name: "add", Description: "Add two numbers.", Input: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}`),
			Call: func(_ context.Context, args json.RawMessage) (any, error) {
				var in struct {
					A int `json:"a"`
					B int `json:"b"`
				}
				err := mcp.Read(args, &in)
				return map[string]int{"sum": in.A + in.B}, err
			}},
		{Name: "fail", Input: json.RawMessage(anything), Call: func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("no luck") }},
		{Name: "environ", Input: json.RawMessage(anything), Call: func(context.Context, json.RawMessage) (any, error) { return os.Environ(), nil }},
		{Name: "count", Input: json.RawMessage(anything), Call: func(context.Context, json.RawMessage) (any, error) { t.called++; return t.called, nil }},
		{Name: "write", Input: json.RawMessage(anything), Call: func(context.Context, json.RawMessage) (any, error) { return strings.Repeat("é", 1000), nil }},
	}
	for _, name := range []string{"die", "hang", "noise", "long", "closed", "internal", "params", "sample", "grow", "half", "other", "picture", "later", "silent", "remote"} {
		t.Tools = append(t.Tools, mcp.Tool{Name: name, Input: json.RawMessage(anything)})
	}
	return t
}

// answer answers a message.
func (t *trickster) answer(line string) string {
	var r struct {
		ID     int
		Method string
		Params struct{ Name string }
	}
	_ = json.Unmarshal([]byte(line), &r)
	if r.Method == mcptools.CallTool {
		if text, tricks := t.trick(r.Params.Name); tricks {
			return strings.ReplaceAll(text, "ID", fmt.Sprint(r.ID))
		}
	}
	text := t.Answer(context.Background(), []byte(line))
	if text == nil {
		return ""
	}
	return string(text) + "\n"
}

func failed(code int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":ID,"error":{"code":%d,"message":"so it is"}}`, code) + "\n"
}

func said(text string) string {
	return `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"` + text + `"}]}}` + "\n"
}

// trick is the answer of a tool that Answer does not call.
func (t *trickster) trick(name string) (text string, tricks bool) {
	switch name {
	case "die":
		t.die()
	case "later":
		t.quit()
		return said("at once"), true
	case "hang":
		t.hang()
		return "", true
	case "noise":
		return "Hello!\n" + said("after it"), true
	case "long":
		return strings.Repeat("x", 5<<20) + "\n", true
	case "closed":
		return failed(-32000), true
	case "internal":
		return failed(-32603), true
	case "params":
		return failed(mcptools.InvalidParams), true
	case "half":
		return `{"jsonrpc":"2.0","id":ID,`, true
	case "other":
		return `{"jsonrpc":"2.0","id":999999,"result":{}}` + "\n" + said("mine"), true
	case "silent":
		return "", true
	case "picture":
		return `{"jsonrpc":"2.0","id":ID,"result":{"structuredContent":{"x":1},"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}}` + "\n", true
	case "sample":
		t.say(`{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{}}` + "\n")
		var r struct{ Error struct{ Code int } }
		_ = json.Unmarshal([]byte(t.next()), &r)
		return said(fmt.Sprint("refused with ", r.Error.Code)), true
	case "grow":
		t.Tools = append(t.Tools, mcp.Tool{Name: "extra", Input: json.RawMessage(anything), Call: func(context.Context, json.RawMessage) (any, error) { return "new", nil }})
		t.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n")
		return said("grown"), true
	case "remote":
		t.Tools = append(t.Tools, mcp.Tool{Name: "far", Input: json.RawMessage(`{"type":"object","properties":{"x":{"$ref":"https://example.com/x.json"}}}`)})
		t.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n")
		return said("done"), true
	}
	return "", false
}
