package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/doctor"
	"github.com/quintain-rl/quintain/sandbox/service"
)

func newDoctor(w *world) *cobra.Command {
	t, of, asJSON := service.NewTrial(), doctor.Settings{Getenv: w.getenv}, false
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Examine this machine, and say what to do about what is wrong with it",
		Long: `Doctor examines the processor's kernels, processors, memory, the clock, the disk of the data
folder, the limit of open files and the sandbox; also inference servers, NATS, ports and a
tokenizer, if you name them. It lists the models that Hugging Face's programs, llama.cpp, LM
Studio and Ollama keep here, and whether their tokenizers are read. Each check is ok, a warning or a failure, with what to do about it. It leaves
nothing behind, and ends with status 1 if a check fails.`,
		Example: `  quintain doctor
  quintain doctor --data /var/lib/quintain --url http://gpu1:8001 --port 0.0.0.0:8000
  quintain doctor --nats-url nats://n0:4222,nats://n1:4222 --json`,
		Args: noArgs,
	}
	c.RunE = func(*cobra.Command, []string) error {
		of.Sandbox, of.Needed = t.Sandbox, c.Flags().Changed("sandbox")
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			var text strings.Builder
			failed, err := doctor.Show(ctx, of, asJSON, &text)
			said := text.String()
			if !asJSON {
				said = screen.Fault(said)
			}
			fmt.Fprint(w.stdout, said)
			if err == nil && failed > 0 {
				return errReported
			}
			return err
		})
	}
	c.AddCommand(newDoctorData(w))
	f := c.Flags()
	f.StringVar(&of.Data, "data", "quintain-data", "data folder, which need not exist")
	f.StringSliceVar(&of.URLs, "url", nil, "address of an inference server; may be given several times")
	f.StringVar(&of.Model, "model", "", "name of the model to try there; empty: the server's first")
	f.StringVar(&of.KeyFile, "policy-key-file", "", "file with the API key of the inference servers")
	f.StringVar(&of.NATS, "nats-url", "", "NATS server or cluster; several servers with commas")
	f.StringVar(&of.Creds, "nats-creds", "", "file of NATS credentials")
	f.StringSliceVar(&of.Ports, "port", nil, "port that should be free, or address with port; may be given several times")
	f.StringVar(&of.Tokenizer, "tokenizer", "", "tokenizer.json of a model, its folder, or its GGUF file")
	f.DurationVar(&of.Timeout, "timeout", 30*time.Second, "time limit for each request")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.AddGoFlagSet(t.SandboxFlags())
	return c
}
