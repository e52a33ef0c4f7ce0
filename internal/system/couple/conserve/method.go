package conserve

// Method is how receivers correct their values.
type Method uint8

// The methods.
const (
	None     Method = iota
	Add             // the same number is added to all values
	Multiply        // all values are multiplied by the same number, which keeps zeros, and signs if both sums have the same
	methods
)

var names = [methods]string{"none", "add", "multiply"}

// String returns the name of the method, such as "add".
func (m Method) String() string { return names[m] }

// Valid reports whether there is such a method.
func (m Method) Valid() bool { return m < methods }

// MethodOf returns the method with a name, or false if there is none.
func MethodOf(name string) (Method, bool) {
	for i, n := range names {
		if n == name {
			return Method(i), true
		}
	}
	return 0, false
}

// Final is the method with the greatest number.
const Final = methods - 1
