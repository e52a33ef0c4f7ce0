module github.com/goacp/goacp

go 1.26
