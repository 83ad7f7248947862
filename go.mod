module github.com/quintain-rl/quintain

go 1.26.0
