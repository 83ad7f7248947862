package toolbox

// Errands returns the errands by name.
func Errands() []*Errand { return []*Errand{serviceDesk.Errand()} }
