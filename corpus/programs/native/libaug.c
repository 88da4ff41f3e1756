/* Built against a newer library than the one at hand. */
int fastcopy_v3(int n);
int augment(int n);

int augment(int n)
{
	return fastcopy_v3(n);
}
