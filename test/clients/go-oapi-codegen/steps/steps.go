// Package steps is what the journey needs besides its client: the settings of the run, and a line for each step.
package steps

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Target is where the short URL leads.
const Target = "https://www.example.com/slates/order/5531"

// Setting is one of the settings that run.ts gives to a journey.
func Setting(name string) string {
	value, ok := os.LookupEnv(name)
	Check(ok, name+" is not set; run.ts sets it")
	return value
}

// Passed prints the line that run.ts counts.
func Passed(step int, format string, values ...any) {
	fmt.Printf("ok %d %s\n", step, fmt.Sprintf(format, values...))
}

// Note says what the client cannot express, for the table in openapi/CLIENTS.md.
func Note(text string) {
	fmt.Printf("note %s\n", text)
}

// Check ends the journey unless the condition holds.
func Check(condition bool, message string) {
	if !condition {
		fmt.Fprintln(os.Stderr, message)
		os.Exit(1)
	}
}

// Must is the value of a call that has to succeed.
func Must[T any](value T, err error) T {
	if err != nil {
		Check(false, err.Error())
	}
	return value
}

// As is the value, if it is of the one type that the journey expects here.
func As[T any](value any, err error) T {
	it, ok := Must(value, err).(T)
	Check(ok, fmt.Sprintf("not the expected answer: %T %+v", value, value))
	return it
}

// Pause waits as many seconds as Retry-After asks; a job that is already finished carries none.
func Pause(retryAfter string) {
	seconds, err := strconv.Atoi(retryAfter)
	if err != nil {
		seconds = 1
	}
	time.Sleep(time.Duration(seconds) * time.Second)
}

// Key is a fresh Idempotency-Key.
func Key() string {
	return strings.ToLower(rand.Text())
}

// Browser is an HTTP client that shows a redirect instead of following it.
func Browser() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}
