package mcptools

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenario/external/venv"
)

// patience is the time for a process to end after its standard input is closed.
const patience = 2 * time.Second

// A process is a server behind pipes. It implements [wire].
type process struct {
	child   external.Child // set once begun is closed
	log     *slog.Logger
	begun   chan struct{}
	watch   sync.WaitGroup
	writing sync.Mutex
	ended   chan struct{} // closed once the process has ended, why is set, and all that it said is heard

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
	p := &process{log: log.With("program", words[0]), begun: make(chan struct{}), ended: make(chan struct{})}
	out := &external.Lines{
		Most: mostBytes,
		Long: func() error { return p.end(fmt.Errorf("a line of its output: %w", bufio.ErrTooLong)) },
		Take: func(text []byte) error {
			if err := hear(context.Background(), text); err != nil {
				return p.end(err)
			}
			return nil
		},
	}
	faults := &external.Lines{Most: 4 << 10, Take: p.note}
	env := append(venv.Harmless(keys), "PYTHONUNBUFFERED=1")
	if p.child, err = (external.Plain{Guarded: true}).Start(words, env, out, faults); err != nil {
		return nil, fmt.Errorf("cannot be started: %w", err)
	}
	close(p.begun)
	p.watch.Go(func() {
		err := p.child.Wait()
		for _, rest := range []*external.Lines{out, faults} {
			_ = rest.Flush() // an error has been noted
		}
		p.fail(p.exitFault(err))
		close(p.ended)
	})
	return p, nil
}

// note keeps a line of its standard error.
func (p *process) note(text []byte) error {
	p.log.Info("an MCP server says", "text", fmt.Sprintf("%.500s", text))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said = fmt.Sprintf("%.500s", text)
	return nil
}

// exitFault says how the process ended.
func (p *process) exitFault(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Errorf("the server ended: %s", external.HowEnded(err, p.said))
}

// fail notes why the process ends. The first reason counts.
func (p *process) fail(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.why == nil {
		p.why = why
	}
}

// end kills the process, and returns why.
func (p *process) end(why error) error {
	p.fail(why)
	<-p.begun
	p.child.Kill()
	return why
}

// send implements [wire]. If the process does not read the message before the end of ctx, it is killed.
func (p *process) send(ctx context.Context, message []byte) error {
	<-p.begun
	p.writing.Lock()
	defer p.writing.Unlock()
	stop := context.AfterFunc(ctx, func() { _ = p.end(context.Cause(ctx)) })
	defer stop()
	_, err := p.child.Write(append(message, '\n'))
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil: // it reads no more
		p.child.Kill()
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
	_ = p.child.Close() // an error: it is closed already
	select {
	case <-p.ended:
	case <-time.After(patience):
	}
	p.child.Kill()
	p.watch.Wait()
}
