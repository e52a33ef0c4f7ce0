// What the code in docs/couple.md, docs/couple-c.md, docs/couple-time.md and docs/couple-inspect.md uses without declaring it.

#include <stdio.h>

#include <acp_couple.h>

enum { NX = 12, NY = 8, ROWS = 4 };

extern acp_model_t ocean, model;
extern acp_field_t flux, sst, surface, stress, picture, field;
extern acp_link_t in, out;
extern double watts[], areas[], cell_areas[], temperature[], below[], t[ROWS + 2][NX + 4];
extern float pixels[];
extern int64_t cells[], cell_count, rows[3], columns[3];
extern double weights[3];
extern int y0, row, step, steps, n, continued;

void compute(double *values);
void draw(int64_t step, const float *pixels);
