// What the code in docs/elastic.md and docs/c-api.md uses without declaring it.

#include <acp.h>
#include <acp_couple.h>
#include <errno.h>
#include <stdint.h>

extern int argc;
extern char **argv;
extern int64_t steps;
extern double temperature[100], pixels[100];
extern acp_field_t sst, picture;

void compute();
void serve(int rank);
void draw(int64_t step, const double *values);
int something_changes(void);
void move_data(void);
void find_data(void);
void look_for_signals(void);
