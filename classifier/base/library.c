#include "base/library.h"

#include "base/err.h"

#include <dlfcn.h>
#include <string.h>

static int load(const struct library *l, struct err *e)
{
	/* A name without a path is sought where the system keeps libraries,
	 * and nowhere else. */
	void *handle = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);
	size_t i;

	if (!handle)
		return err_set(e,
		    "cannot load a library: %s (package %s of Debian and "
		    "Ubuntu)",
		    dlerror(), l->package);
	for (i = 0; i < l->n; i++)
		if (!dlsym(handle, l->rows[i].name))
			return err_set(
			    e, "cannot use a library: %s", dlerror());
	for (i = 0; i < l->n; i++) {
		void *f = dlsym(handle, l->rows[i].name);

		memcpy(l->rows[i].slot, &f, sizeof f);
	}
	return 0;
}

/* The loader is the process's, and so is what has become of it. */
static atomic_bool broken;

bool library_broken(void)
{
	return atomic_load(&broken);
}

int library_load(struct library *l, struct err *e)
{
	int rc = 0;

	if (atomic_load_explicit(&l->loaded, memory_order_acquire))
		return 0;
	pthread_mutex_lock(&l->lock);
	if (!atomic_load(&l->loaded))
		rc = load(l, e);
	atomic_store(rc ? &broken : &l->loaded, true);
	pthread_mutex_unlock(&l->lock);
	return rc;
}
