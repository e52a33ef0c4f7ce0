// Package element has the element types of accumulate and their arithmetic: dst += scale * src,
// element by element in the type itself.
package element
