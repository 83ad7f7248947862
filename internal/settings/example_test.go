package settings_test

import (
	"fmt"
	"time"

	"github.com/quintain-rl/quintain/internal/settings"
)

// A pump has two settings.
type pump struct {
	Strokes int
	Pause   time.Duration
}

// Declare implements [settings.Declarer].
func (p *pump) Declare(d *settings.Section) {
	d.Int(&p.Strokes, "strokes", "of a round").AtLeast(1)
	d.Duration(&p.Pause, "pause", "between rounds")
}

// The environment overrides the file, and a setting in neither keeps its value.
func Example() {
	p := &pump{Strokes: 3, Pause: time.Second}
	form := settings.New(p)
	err := form.Load(settings.Sources{File: "pump.yaml", Data: []byte("strokes: 5\npause: 2s\n"), Environ: []string{"QUINTAIN_STROKES=7"}})
	fmt.Println(p.Strokes, p.Pause, err)
	fmt.Println(form.Load(settings.Sources{File: "pump.yaml", Data: []byte("strokes: none\n")}))
	// Output:
	// 7 2s <nil>
	// pump.yaml:1:10: strokes: is "none", want a whole number
}
