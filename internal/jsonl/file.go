package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"
)

// ByteOrderMark begins the files of some editors. It is no part of their text.
const ByteOrderMark = "\ufeff"

// mostPiped limits the bytes of a pipe that is read as a file.
const mostPiped = 8 << 30

// Open opens a file that people name. A pipe is read to its end first, into a file without a name: so
// what opens it once may read it again. SIGINT and SIGTERM end the wait for a pipe with an error, and
// otherwise do what they always do.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		return os.Open(path)
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder, want a file", path)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	in, err := openPipe(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	defer context.AfterFunc(ctx, func() { _ = in.SetReadDeadline(time.Unix(1, 0)) })() // what has no deadline does not wait either
	f, err := unnamed(in)
	if ctx.Err() != nil {
		err = fmt.Errorf("%s: interrupted while waiting for the pipe", path)
	} else if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return f, err
}

// openPipe opens a pipe, which waits for somebody to write to it, until ctx ends.
func openPipe(ctx context.Context, path string) (*os.File, error) {
	opened := make(chan struct{})
	var wake sync.WaitGroup
	defer wake.Wait()
	defer close(opened)
	wake.Go(func() {
		select {
		case <-opened:
		case <-ctx.Done():
			if writer, err := os.OpenFile(path, os.O_RDWR, 0); err == nil { // which ends the wait
				<-opened
				_ = writer.Close()
			}
		}
	})
	return os.Open(path)
}

// unnamed returns a file with all that in has. It has no name, and is gone once it is closed.
func unnamed(in io.Reader) (f *os.File, err error) {
	if f, err = os.CreateTemp("", "quintain-pipe-*"); err != nil {
		return nil, err
	}
	err = os.Remove(f.Name())
	if err == nil {
		var n int64
		if n, err = io.Copy(f, io.LimitReader(in, mostPiped+1)); n > mostPiped {
			err = fmt.Errorf("the pipe has more than %d GiB: write it into a file, and name that", mostPiped>>30)
		}
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReadText returns the text of a file that people write, of at most so many bytes, without a byte
// order mark. The error of a text that is not UTF-8 names the line, and the byte within it.
func ReadText(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > most {
		return nil, fmt.Errorf("%s has more than %d bytes: is it the right file?", path, most)
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if err := CheckUTF8(line); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, n, err)
		}
	}
	return bytes.TrimPrefix(text, []byte(ByteOrderMark)), nil
}

// CheckUTF8 returns an error that names the first byte of a line, counted from 1, that is not UTF-8.
func CheckUTF8(line []byte) error {
	if utf8.Valid(line) {
		return nil
	}
	at := 0
	for {
		r, n := utf8.DecodeRune(line[at:])
		if r == utf8.RuneError && n == 1 {
			return fmt.Errorf("byte %d, %#x, is not UTF-8: write the text anew as UTF-8", at+1, line[at])
		}
		at += n
	}
}
