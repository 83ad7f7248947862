//go:build amd64 || arm64

package box

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A region is an init's own memory, as we see it before the fork.
type region struct {
	bytes []byte
	cell  *cell
	kept  bool // there was a part that the init needs after the last that it does not
}

// newRegion makes the memory of an init that has a control socket. It must be freed after the fork.
func newRegion() (*region, error) {
	raw, err := unix.Mmap(-1, 0, regionSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("memory of a trial: %w", err)
	}
	r := &region{bytes: raw, cell: (*cell)(unsafe.Pointer(&raw[0]))}
	c := r.cell
	c.pidfd = -1
	c.poll[0] = unix.PollFd{Fd: controlFD, Events: unix.POLLIN}
	c.poll[1] = unix.PollFd{Fd: signalFD, Events: unix.POLLIN}
	c.vector.Base, c.vector.Len = &raw[cellSize], messageSize
	c.message.Iov, c.message.Iovlen = &c.vector, 1
	c.message.Control = &c.control[0]
	err = r.unneeded()
	if err != nil {
		err = errors.Join(err, r.free())
	}
	return r, err
}

// free gives the memory back.
func (r *region) free() error { return unix.Munmap(r.bytes) }

// program begins a program for the init of the region.
func (r *region) program() *program {
	return &program{base: uint64(uintptr(unsafe.Pointer(&r.bytes[0]))) + cellSize, data: make([]byte, unsafe.Sizeof(head{})), slot: slotFD}
}

// unneeded finds what an init needs not of our memory: all but the code, its own, and what the kernel put there.
func (r *region) unneeded() error {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return err
	}
	code := uint64(reflect.ValueOf(exit).Pointer())
	var all []mapping
	var program, library string
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		m, ok := parseMapping(lines.Text())
		if !ok {
			continue
		}
		switch {
		case m.from <= code && code < m.to:
			program = m.file
		case m.runs && m.file != "":
			library = m.file
		}
		all = append(all, m)
	}
	own := uint64(uintptr(unsafe.Pointer(&r.bytes[0])))
	var end uint64 // of the variables of the program, as far as we have seen them
	for _, m := range all {
		ours := m.file == program
		switch {
		case library != "" && m.writes && !(m.from <= own && own < m.to): // with C, the kernel writes to variables of each thread
			r.leave(m.from, m.to, true)
		case library != "":
		case strings.HasPrefix(m.name, "[v"), ours && !m.writes: // the kernel's, and code
			r.kept = true
		case ours, m.from == end:
			end = m.to
			r.leave(m.from, m.to, true)
		case m.from <= own && own < m.to: // the kernel may have joined it with others
			r.leave(m.from, own, false)
			r.kept = true
			r.leave(own+regionSize, m.to, false)
		default:
			r.leave(m.from, m.to, false)
		}
	}
	return nil
}

// leave notes a part that the init does not need. Parts with nothing between them become one.
func (r *region) leave(from, to uint64, wipe bool) {
	c := r.cell
	if from >= to {
		return
	}
	if n := c.spans; n > 0 && !r.kept && !wipe && c.list[n-1].wipe == 0 {
		c.list[n-1].to = uintptr(to)
		return
	}
	if int(c.spans) == len(c.list) {
		return // what is left stays
	}
	c.list[c.spans] = span{from: uintptr(from), to: uintptr(to)}
	if r.kept = wipe; wipe {
		c.list[c.spans].wipe = 1
	}
	c.spans++
}

// A mapping is a line of /proc/self/maps.
type mapping struct {
	from, to uint64
	writes   bool
	runs     bool
	file     string // its device and number
	name     string
}

// parseMapping reads a line of /proc/self/maps.
func parseMapping(line string) (m mapping, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 5 {
		return m, false
	}
	if _, err := fmt.Sscanf(fields[0], "%x-%x", &m.from, &m.to); err != nil {
		return m, false
	}
	m.writes = strings.Contains(fields[1], "w")
	m.runs = strings.Contains(fields[1], "x")
	m.file = fields[3] + " " + fields[4]
	if len(fields) > 5 {
		m.name = fields[5]
	}
	if fields[4] == "0" {
		m.file = "" // no file's
	}
	return m, true
}

// A program is a list of system calls for an init, with what they point to.
type program struct {
	base  uint64 // address of data in the init
	data  []byte
	steps []step
	names []string
	slot  uint32 // the next free descriptor
}

// call adds a call. The step may be changed until the next one is added.
func (p *program) call(name string, nr uintptr, args ...uint64) *step {
	i := slices.Index(p.names, name)
	if i < 0 {
		i = len(p.names)
		p.names = append(p.names, name)
	}
	s := step{nr: nr, name: uint32(i)}
	for n, v := range args {
		s.args[n] = uintptr(v)
	}
	p.steps = append(p.steps, s)
	return &p.steps[len(p.steps)-1]
}

// try adds a call of which an error does not matter.
func (p *program) try(name string, nr uintptr, args ...uint64) *step {
	s := p.call(name, nr, args...)
	s.soft = 1
	return s
}

// opens adds a call that returns a descriptor, and tells its number.
func (p *program) opens(name string, nr uintptr, args ...uint64) uint64 {
	p.slot++
	p.call(name, nr, args...).to = p.slot - 1
	return uint64(p.slot - 1)
}

// put adds data, and returns its address.
func (p *program) put(raw []byte) uint64 {
	for len(p.data)%8 != 0 {
		p.data = append(p.data, 0)
	}
	at := p.base + uint64(len(p.data))
	p.data = append(p.data, raw...)
	return at
}

// text adds a string that ends with a NUL byte.
func (p *program) text(s string) uint64 { return p.put(append([]byte(s), 0)) }

// words adds numbers of 64 bits.
func (p *program) words(list ...uint64) uint64 {
	var raw []byte
	for _, v := range list {
		raw = binary.LittleEndian.AppendUint64(raw, v)
	}
	return p.put(raw)
}

// texts adds a list of strings, as execve takes it.
func (p *program) texts(list []string) uint64 {
	all := make([]uint64, len(list)+1)
	for i, s := range list {
		all[i] = p.text(s)
	}
	return p.words(all...)
}

// message is the program as an init takes it.
func (p *program) message(fork bool) ([]byte, error) {
	p.put(nil)
	h := head{count: uint32(len(p.steps)), at: uint32(len(p.data))}
	if fork {
		h.fork = 1
	}
	raw := p.data
	*(*head)(unsafe.Pointer(&raw[0])) = h
	if len(p.steps) > 0 {
		size := len(p.steps) * int(unsafe.Sizeof(step{}))
		raw = append(raw, unsafe.Slice((*byte)(unsafe.Pointer(&p.steps[0])), size)...)
	}
	if len(raw) > messageSize {
		return nil, ErrTooLong
	}
	return raw, nil
}

// name is that of a step.
func (p *program) name(step uint32) string {
	if int(step) < len(p.steps) {
		return p.names[p.steps[step].name]
	}
	return "clone"
}
