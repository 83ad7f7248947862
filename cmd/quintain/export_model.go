package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/run/player"
)

func newExportModel(w *world) *cobra.Command {
	data := "quintain-data"
	c := &cobra.Command{
		Use:   "model DIR",
		Short: "Write the language model that a run has trained, for other programs",
		Long: `Model writes the language model that a run in this program trained (quintain run --weights) into a folder: in the form of
Hugging Face, with the adapters merged into weights of float32, its configuration and its tokenizer; and in the folder adapter
below it the adapters alone, as PEFT loads them. transformers and vLLM load either; llama.cpp's convert_hf_to_gguf.py makes
a GGUF file of the first.`,
		Example: `  quintain export model trained --data quintain-data`,
		Args:    oneArg("DIR"),
	}
	c.Flags().StringVar(&data, "data", data, "data folder of the run")
	c.RunE = func(_ *cobra.Command, args []string) error {
		version, err := player.ExportModel(data, args[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(w.stderr, "quintain: %s has the weights of version %s\n", args[0], version)
		return nil
	}
	return c
}
