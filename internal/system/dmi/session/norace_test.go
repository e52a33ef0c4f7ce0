//go:build !race

package session

const fixedJoins = 200
