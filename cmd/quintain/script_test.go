package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"

	"rsc.io/script"
	"rsc.io/script/scripttest"
)

// scriptInput is the variable with the path of the standard input.
const scriptInput = "STDIN"

// TestScripts runs testdata/*.txt. The command quintain is the program itself, in this
// process; the command stdin names the file for its standard input. $AGENT is the command of
// an agent, which asks its model once.
func TestScripts(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	engine := script.NewEngine()
	engine.Cmds["stdin"] = script.Command(script.CmdUsage{Summary: "set the standard input of quintain", Args: "file"},
		func(s *script.State, args ...string) (script.WaitFunc, error) {
			return nil, s.Setenv(scriptInput, s.Path(args[0]))
		})
	engine.Cmds["quintain"] = script.Command(script.CmdUsage{Summary: "run quintain", Args: "args..."},
		func(s *script.State, args ...string) (script.WaitFunc, error) {
			return func(s *script.State) (stdout, stderr string, err error) {
				var out, errs bytes.Buffer
				var input []byte
				if path, has := s.LookupEnv(scriptInput); has {
					if input, err = os.ReadFile(path); err != nil {
						return "", "", err
					}
				}
				w := &world{args: args, stdin: bytes.NewReader(input), stdout: &out, stderr: &errs, environ: s.Environ}
				if status := execute(w); status != exitOK {
					err = fmt.Errorf("status %d", status)
					errs.WriteString(err.Error())
				}
				return out.String(), errs.String(), err
			}, nil
		})
	scripttest.Test(t, context.Background(), engine, []string{"LANG=C", "AGENT=" + program + " " + asAgent}, "testdata/*.txt")
}
