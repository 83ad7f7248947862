package mcptools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/scenario/external"
)

// patience is the time for a process to end after its standard input is closed, and for its pipes.
const patience = 2 * time.Second

// A process is a server behind pipes. It implements [wire].
type process struct {
	command *exec.Cmd
	kill    context.CancelFunc
	in      io.WriteCloser
	writing sync.Mutex
	ended   chan struct{} // closed once why is set, and all that it said is heard
	gone    chan struct{} // closed once the process has ended
	watch   sync.WaitGroup

	mu   sync.Mutex // guards the fields below
	why  error
	said string // last line of its standard error
}

// startProcess starts a server by its command line, with the variables of those names. It calls hear for
// each message.
func startProcess(line string, keys []string, log *slog.Logger, hear func(context.Context, []byte) error) (*process, error) {
	words, err := command.Fields(line)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{command: exec.CommandContext(ctx, words[0], words[1:]...), kill: cancel, ended: make(chan struct{}), gone: make(chan struct{})}
	p.command.Env, p.command.WaitDelay = environ(keys), patience
	folder, err := os.MkdirTemp("", "quintain-mcp-")
	if err != nil {
		cancel()
		return nil, err
	}
	group, err := command.NewGroup(folder) // it ends with this process, too
	if err != nil {
		cancel()
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	group.Add(p.command)
	p.command.Cancel = func() error { group.End(); return nil }
	said, out := io.Pipe()
	faults, err2 := io.Pipe()
	p.command.Stdout, p.command.Stderr = out, err2
	if p.in, err = p.command.StdinPipe(); err == nil {
		err = p.command.Start()
	}
	if err != nil {
		cancel()
		group.Kill()
		return nil, errors.Join(fmt.Errorf("cannot be started: %w", err), os.RemoveAll(folder))
	}
	var readers sync.WaitGroup
	readers.Go(func() { p.listen(said, func(text []byte) error { return hear(ctx, text) }) })
	readers.Go(func() { p.listen(faults, func(text []byte) error { return p.note(text, log) }) })
	p.watch.Go(func() {
		err := p.command.Wait()
		group.Kill()
		_ = os.RemoveAll(folder) // what is left, the system removes
		close(p.gone)
		_, _ = out.Close(), err2.Close()
		readers.Wait()
		p.fail(p.exitFault(err))
		close(p.ended)
	})
	return p, nil
}

// environ returns the variables that a program needs to run at all, and those of keys.
func environ(keys []string) (all []string) {
	keys = append([]string{"PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "TZ", "SYSTEMROOT", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"}, keys...)
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); slices.Contains(keys, name) {
			all = append(all, entry)
		}
	}
	return append(all, "PYTHONUNBUFFERED=1")
}

// listen calls take for each line of an output. An error ends the process.
func (p *process) listen(from *io.PipeReader, take func([]byte) error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, mostBytes)
	for lines.Scan() {
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		if err := take(text); err != nil {
			p.end(err)
			break
		}
	}
	if err := lines.Err(); err != nil {
		p.end(fmt.Errorf("a line of its output: %w", err))
	}
	_ = from.CloseWithError(errors.New("nobody reads it any more")) // it returns nil
}

// note keeps a line of its standard error.
func (p *process) note(text []byte, log *slog.Logger) error {
	log.Info("an MCP server says", "process", p.command.Process.Pid, "text", fmt.Sprintf("%.500s", text))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said = fmt.Sprintf("%.500s", text)
	return nil
}

// exitFault says how the process ended.
func (p *process) exitFault(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	how := "exit status 0"
	if err != nil {
		how = err.Error()
	}
	if p.said != "" {
		how += ": " + p.said
	}
	return fmt.Errorf("the server ended: %s", how)
}

// fail notes why the process ends. The first reason counts.
func (p *process) fail(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.why == nil {
		p.why = why
	}
}

// end kills the process.
func (p *process) end(why error) {
	p.fail(why)
	p.kill()
}

// send implements [wire]. If the process does not read the message before the end of ctx, it is killed.
func (p *process) send(ctx context.Context, message []byte) error {
	select {
	case <-p.gone:
		<-p.ended
		return external.Lost(p.fault())
	default:
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	stop := context.AfterFunc(ctx, func() { p.end(context.Cause(ctx)) })
	defer stop()
	_, err := p.in.Write(append(message, '\n'))
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil: // it reads no more
		p.kill()
		<-p.ended
		return external.Lost(p.fault())
	}
	return nil
}

// over implements [wire].
func (p *process) over() <-chan struct{} { return p.ended }

// fault implements [wire].
func (p *process) fault() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why
}

// agreed implements [wire].
func (p *process) agreed(string) {}

// close implements [wire]. It returns when the process has ended.
func (p *process) close() {
	_ = p.in.Close() // an error: it is closed already
	select {
	case <-p.ended:
	case <-time.After(patience):
	}
	p.kill()
	p.watch.Wait()
}
