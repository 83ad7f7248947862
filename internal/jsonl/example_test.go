package jsonl_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/jsonl"
)

func ExampleAnswer() {
	in := strings.NewReader("1\n2\nthree\n")
	err := jsonl.Answer(context.Background(), in, os.Stdout, func() func(dst, line []byte) ([]byte, error) {
		return func(dst, line []byte) ([]byte, error) {
			n, err := strconv.Atoi(string(line))
			return strconv.AppendInt(dst, int64(n*n), 10), err
		}
	})
	fmt.Println(err)
	// Output:
	// 1
	// 4
	// {"error":"line 3: strconv.Atoi: parsing \"three\": invalid syntax"}
	// line 3: strconv.Atoi: parsing "three": invalid syntax
}

func ExampleMake() {
	err := jsonl.Make(context.Background(), os.Stdout, 3, func() func(dst []byte, n int) ([]byte, error) {
		return func(dst []byte, n int) ([]byte, error) { return fmt.Appendf(dst, `{"n":%d}`, n), nil }
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"n":0}
	// {"n":1}
	// {"n":2}
}

func ExampleLog() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	type step struct {
		Step int `json:"step"`
	}
	path := filepath.Join(dir, "training.jsonl")
	for range 2 { // the second time it continues
		log, last, err := jsonl.OpenLog[step](path, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		next := step{1}
		if last != nil {
			next.Step = last.Step + 1
		}
		fmt.Println(log.Add(next), log.Close())
	}
	fmt.Println(jsonl.ReadLog[step](path))
	// Output:
	// <nil> <nil>
	// <nil> <nil>
	// [{1} {2}] <nil>
}
