//go:build amd64 || arm64

package box

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// mostState bounds what a command tells of its folder and variables, in bytes.
const mostState = 256 << 10

// Outputs are the files to which a command writes: not pipes, so that what it leaves running neither keeps it nor is ended.
type outputs struct{ null, out, state *os.File }

// outputs makes the files of a command, without names. The caller must close them.
func (s *Session) outputs(state bool) (o *outputs, err error) {
	o = &outputs{}
	if o.null, err = os.OpenFile(os.DevNull, os.O_RDWR, 0); err == nil {
		o.out, err = s.unnamed()
	}
	if err == nil && state {
		o.state, err = s.unnamed()
	}
	if err != nil {
		o.close()
		return nil, fmt.Errorf("the output of a command: %w", err)
	}
	return o, nil
}

// unnamed makes a file that the trial may write to, and open again by its descriptor.
func (s *Session) unnamed() (*os.File, error) {
	f, err := os.CreateTemp(s.trial.dir, "output-")
	if err != nil {
		return nil, err
	}
	name := f.Name()
	err = errors.Join(f.Close(), s.trial.give(name, 0o600))
	if err == nil {
		f, err = os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
	}
	return f, errors.Join(err, os.Remove(name))
}

// fds are the descriptors, as the steps of a command expect them.
func (o *outputs) fds() (fds []int) {
	for _, f := range []*os.File{o.null, o.out, o.state} {
		if f != nil {
			fds = append(fds, int(f.Fd()))
		}
	}
	return fds
}

// close closes the files.
func (o *outputs) close() {
	for _, f := range []*os.File{o.null, o.out, o.state} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// read reads what was written, two fifths of most from its beginning and the rest from its end.
func (o *outputs) read(most int64, into *Result) error {
	info, err := o.out.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	head, tail := size, int64(0)
	if size > most {
		head = most * 2 / 5
		tail = most - head
	}
	into.Cut, into.Head = size-head-tail, int(head)
	into.Output = make([]byte, head+tail)
	n, err := o.out.ReadAt(into.Output[:head], 0)
	if int64(n) == head && tail > 0 {
		n, err = o.out.ReadAt(into.Output[head:], size-tail)
		n += int(head)
	}
	if errors.Is(err, io.EOF) {
		err = nil // somebody shortens it
	}
	into.Output = into.Output[:n]
	into.Head = min(into.Head, n)
	return err
}

// telling has a bash -c tell its folder and variables when it exits, on the line of its first command.
func telling(args []string) []string {
	i := slices.Index(args, "-c")
	if i < 0 || i+1 >= len(args) {
		return args
	}
	args = slices.Clone(args)
	at := strconv.Itoa(tellFD)
	args[i+1] = `trap '{ builtin printf "%s\0" "$PWD"; builtin export -p; } 2>/dev/null >&` + at + `' EXIT; ` + args[i+1]
	return args
}

// told reads what a bash told; nothing if it told nothing whole.
func (o *outputs) told() (dir string, environ []string) {
	raw := make([]byte, mostState)
	n, err := o.state.ReadAt(raw, 0)
	if n == len(raw) || err != nil && !errors.Is(err, io.EOF) {
		return "", nil
	}
	name, text, ok := bytes.Cut(raw[:n], []byte{0})
	if !ok || !bytes.HasPrefix(name, []byte("/")) || len(text) == 0 || text[len(text)-1] != '\n' {
		return "", nil
	}
	return string(name), parseExports(string(text))
}

// untold are variables that bash makes itself.
var untold = []string{"_", "PWD", "SHLVL"}

// parseExports reads the exported variables that bash's export -p writes. It leaves out what it does not understand.
func parseExports(text string) (environ []string) {
	const begin = "declare -"
	for strings.HasPrefix(text, begin) {
		_, rest, ok := strings.Cut(text, " ")
		if !ok {
			break
		}
		_, rest, ok = strings.Cut(rest, " ")
		if !ok {
			break
		}
		end := strings.IndexAny(rest, "=\n")
		if end < 0 {
			break
		}
		name := rest[:end]
		if rest[end] == '\n' {
			text = rest[end+1:] // without a value
			continue
		}
		value, after, ok := unquote(rest[end+1:])
		if !ok || !strings.HasPrefix(after, "\n") {
			break
		}
		if text = after[1:]; !slices.Contains(untold, name) {
			environ = append(environ, name+"="+value)
		}
	}
	return environ
}

// unquote reads a value in the quotes of bash: "…" or $'…'.
func unquote(text string) (value, rest string, ok bool) {
	ansi := strings.HasPrefix(text, "$'")
	if !ansi && !strings.HasPrefix(text, `"`) {
		return "", "", false
	}
	quote := byte('"')
	text = text[1:]
	if ansi {
		quote, text = '\'', text[1:]
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			return b.String(), text[i+1:], true
		case c != '\\' || i+1 == len(text):
			b.WriteByte(c)
		case ansi:
			i += escape(&b, text[i+1:])
		default:
			i++
			b.WriteByte(text[i])
		}
	}
	return "", "", false
}

// escape writes what follows a backslash in $'…' stands for, and returns how long that is.
func escape(b *strings.Builder, text string) int {
	const names, values = "abeEfnrtv", "\a\b\x1b\x1b\f\n\r\t\v"
	if i := strings.IndexByte(names, text[0]); i >= 0 {
		b.WriteByte(values[i])
		return 1
	}
	n := 0
	for n < len(text) && n < 3 && text[n] >= '0' && text[n] <= '7' {
		n++
	}
	if n == 0 {
		b.WriteByte(text[0])
		return 1
	}
	v, _ := strconv.ParseUint(text[:n], 8, 16)
	b.WriteByte(byte(v))
	return n
}
