//go:build !heavy

package scenariotest

// Short is what every change is tested with; the heavy tests play more.
var Short = ToolSize{Problems: 5, Blind: 8}

// mostForeign is how many foreign records of a level are tried.
const mostForeign = 30

// mostReplayed is how many episodes of a level are played again, from each of their replies on.
const mostReplayed = 1
