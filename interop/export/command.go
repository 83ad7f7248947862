package export

import "github.com/spf13/cobra"

// Command returns the verb that makes a data set, without its flags and its work.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:   "export FORMAT",
		Short: "Make a data set from the episodes of a run",
		Long: `Export reads the trace of a run, even during the run, and prints one of these:

  records  all played groups, kept or dropped, as JSON lines
  groups   scored groups as Atropos' environments write them: tokens, masks, scores, …
  parquet  training sequences of scored groups, one a row
  sft      {"messages", "score"} of episodes with a good score, each conversation once
  dpo      {"prompt", "chosen", "rejected", …}: pairs of episodes of one group, each once
  areal    scored episodes as AReaL's trainers read them: SequenceSamples or tensors

docs/formats/dump.md describes them, and docs/formats/areal.md the last. Export writes a
file completely or not at all. If some of the trace is damaged or missing, the data set has the
rest, export says what is lost, and it ends with status 1.`,
		Example: `  quintain export sft --min-score 0.9 --best 1 > sft.jsonl
  quintain export dpo --gap 0.5 --task countdown > pairs.jsonl
  quintain export parquet --drop kept --out sequences.parquet
  quintain export areal --mode modern --form safetensors --out batch.safetensors`,
		ValidArgs: Formats(),
	}
}
