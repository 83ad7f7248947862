package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/internal/web"
)

// The ends of the output that are kept, in bytes.
const (
	mostOutput    = 64 << 10
	mostComplaint = 2 << 10 // of standard error, for the reason of a failure
)

// patience is the time for output and connections of processes that left the group of the
// program, once this has ended.
const patience = time.Second

// start serves a session, and runs the program to its end. It returns the end of its output.
// The error says that this machine failed.
func (p *Program) start(ctx context.Context, session *gateway.Solo, f *folder) (said string, err error) {
	var all *command.Tail
	var failed error
	err = serveLocally(ctx, hosted(session, f.host), func(address string) { all, failed = p.run(ctx, session, f, address) })
	if all != nil {
		said = all.String()
	}
	return said, cmp.Or(failed, err)
}

// serveLocally serves routes on loopback while do runs. The error says that this machine failed.
func serveLocally(ctx context.Context, routes []web.Route, do func(address string)) error {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return lost(err)
	}
	return serve(ctx, l, routes, func() { do("http://" + l.Addr().String()) })
}

// serve serves routes on a listener while do runs. The error says that this machine failed.
func serve(ctx context.Context, l net.Listener, routes []web.Route, do func()) error {
	server, err := web.New(web.Config{Name: "agent", Routes: routes, Settings: web.Settings{Drain: patience, MaxBody: mostBody, MaxInflated: mostBody}})
	if err != nil {
		l.Close()
		return err
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var beside sync.WaitGroup
	beside.Go(func() { err = server.Run(serving, l) })
	do()
	stop()
	beside.Wait()
	return err
}

// mostBody bounds the body of a call, in bytes.
const mostBody = 64 << 20

// run runs the program to its end. What it leaves in its process group is killed.
func (p *Program) run(ctx context.Context, session *gateway.Solo, f *folder, address string) (*command.Tail, error) {
	said, complained := &command.Tail{Most: mostOutput}, &command.Tail{Most: mostComplaint}
	c := exec.CommandContext(context.WithoutCancel(ctx), p.words[0], p.words[1:]...) // await kills it
	c.Dir, c.Env = f.work(), p.environ(session, f, address)
	group, err := command.NewGroup(f.path)
	if err != nil {
		return said, lost(err)
	}
	group.Add(c)
	out, err := open(&c.Stdout, said)
	if err != nil {
		group.Kill()
		return said, lost(err)
	}
	errs, err := open(&c.Stderr, io.MultiWriter(said, complained))
	if err != nil {
		group.Kill()
		out.close()
		return said, lost(err)
	}
	err = c.Start()
	out.started()
	errs.started()
	if err == nil {
		err = p.await(ctx, c, session, group)
	} else {
		err = lost(err)
	}
	group.Kill()
	out.close()
	errs.close()
	how := "exit status 0"
	if exit, ok := errors.AsType[*exec.ExitError](err); ok || errors.Is(err, errKilled) {
		how = err.Error()
		if ok && f.host == nil {
			session.Fail(because("the agent's program ended: "+exit.Error(), strings.TrimSpace(complained.String())))
		}
		err = nil
	}
	fmt.Fprintf(said, "[the program ended: %s]\n", how)
	return said, err
}

// errKilled says that the program did not end by itself.
var errKilled = errors.New("killed by quintain")

// await waits for the end of the program. It kills it when ctx ends, or some time after its
// session is over. The error is an [*exec.ExitError] if the program failed by itself.
func (p *Program) await(ctx context.Context, c *exec.Cmd, session *gateway.Solo, group *command.Group) error {
	over, ended := make(chan struct{}), make(chan error, 1)
	var beside sync.WaitGroup
	defer beside.Wait()
	watch, stop := context.WithCancel(ctx)
	defer stop()
	beside.Go(func() { ended <- c.Wait() })
	beside.Go(func() {
		session.Watch(watch)
		close(over)
	})
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	case <-over:
		late := time.NewTimer(p.how.Leave)
		defer late.Stop()
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
		case <-late.C:
		}
	}
	group.End()
	beside.Wait() // it was killed
	return errKilled
}

// A stream is a pipe from the program to a writer.
type stream struct {
	r, w   *os.File
	copied sync.WaitGroup
}

// open returns the stream that becomes an output of a command.
func open(output *io.Writer, to io.Writer) (*stream, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	*output = w
	s := &stream{r: r, w: w}
	s.copied.Go(func() { _, _ = io.Copy(to, r) }) // it ends with the pipe
	return s, nil
}

// started closes the program's end of the pipe here.
func (s *stream) started() { _ = s.w.Close() }

// close reads the rest. Processes that left the group may hold the pipe, so it does not wait
// for long.
func (s *stream) close() {
	_ = s.w.Close() // it may be closed already
	_ = s.r.SetReadDeadline(time.Now().Add(patience))
	s.copied.Wait()
	_ = s.r.Close()
}
