package mpilauncher

import "testing"

func TestRefuseSpread(t *testing.T) {
	for version, want := range map[string]bool{
		"3.0.8": true, "3.0.7": true, "2.1.12": true, "3.0.8rc1": true,
		"3.0.9": false, "3.0.10": false, "3.1.0": false, "4.0.0a1": false, "": false, "unknown": false,
	} {
		if err := refuseSpread(version); (err != nil) != want {
			t.Errorf("PRRTE %s: %v", version, err)
		}
	}
}
