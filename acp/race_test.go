//go:build race

package acp_test

// histories is the number of histories of TestHistories without -soak.
const histories = 600
